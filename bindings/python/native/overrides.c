/* SPDX-License-Identifier: Apache-2.0 */
/* Python classes that override operators (`__torch_function__`) as called by the dispatcher,
 * wrapper tensors (`__torch_dispatch__`) and modes; see tenon/overrides.h. */
#include "overrides.h"

#include "binding.h"
#include "function_protocol.h"
#include "value.h"

static PyObject* protocol_names[2]; /* by TENON_MODE_* */

/* ---- Finding handlers ------------------------------------------------------------------------ */

static PyObject* default_dispatch; /* what a class without its own handler has */

static bool has_handler(PyTypeObject* type, uint32_t kind) {
  if (kind == TENON_MODE_OVERRIDE) return tnp_function_handler(type) != NULL;
  PyObject* found = _PyType_Lookup(type, protocol_names[kind]);
  return found != NULL && found != Py_None && found != default_dispatch;
}

bool tnp_overrides_slow(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (tnp_is_foreign(object)) {
    return tenon_object_get_type(tnp_foreign_get(object))->override != NULL;
  }
  /* If the key is excluded, an instance of a subclass of Tensor is used as a tensor. Other objects
   * have no such fallback: the dispatcher reports an error. */
  return TNP_IS_TENSOR(object) ? tnp_class_has_handler_slow(object)
                               : tnp_function_handler(type) != NULL && !tnp_classes_disabled();
}

int tnp_to_overriding(tnp_call* call, PyObject* object, tenon_value* out) {
  memset(out, 0, sizeof *out);
  call->overriding = true;
  call->normalised = true;
  if (call->overrides == TNP_OVERRIDES_FOUND) return 0; /* the value is not used */
  return tnp_to_object(call, object, TENON_TAG_OBJECT, out);
}

static void release_tensor(void* handle) { tenon_tensor_release(handle); }

int tnp_carry_element(tnp_call* call, tenon_value* value) {
  tenon_tensor* carrier;
  if (tnp_check(tenon_carrier_new(value, &carrier)) != 0) return -1;
  value->tag = TENON_TAG_TENSOR;
  value->as.tensor = carrier;
  return tnp_own(call, carrier, release_tensor);
}

/* ---- Carriers -------------------------------------------------------------------------------- */

PyObject* tnp_unwrap_carriers(PyObject* object) {
  if (object == NULL) return NULL;
  if (Py_TYPE(object) == tnp_tensor_type) {
    const tenon_tensor* tensor = tnp_tensor_get(object);
    const tenon_value* carried = tensor ? tenon_carrier_value(tensor) : NULL;
    if (carried == NULL && tensor != NULL) return object;
    PyObject* opened = NULL;
    if (carried != NULL) {
      tenon_value value = *carried;
      opened = tnp_from_value(&value, false);
    }
    Py_DECREF(object);
    return opened;
  }
  bool list = PyList_CheckExact(object);
  if (!list && !PyTuple_CheckExact(object)) return object;
  /* The sequence was just created from values and has no other references. */
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
    PyObject** item = &PySequence_Fast_ITEMS(object)[i];
    *item = tnp_unwrap_carriers(*item);
    if (*item == NULL) {
      Py_INCREF(Py_None); /* keeps the sequence valid */
      *item = Py_None;
      Py_DECREF(object);
      return NULL;
    }
  }
  return object;
}

/* ---- Handlers -------------------------------------------------------------------------------- */

/* Adds the type of an argument, or of each element of a list, if it has a handler and is new. */
static int add_types(PyObject* types, PyObject* object, uint32_t kind) {
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
      if (add_types(types, PySequence_Fast_GET_ITEM(object, i), kind) != 0) return -1;
    }
    return 0;
  }
  PyObject* type = (PyObject*)Py_TYPE(object);
  bool takes_part =
      tnp_is_foreign(object) ? tnp_overrides_slow(object) : has_handler(Py_TYPE(object), kind);
  int known = takes_part ? PySequence_Contains(types, type) : 1;
  if (known != 0) return known < 0 ? -1 : 0;
  return PyList_Append(types, type);
}

/* Returns an argument as its caller passed it: the carried object, or the number that was converted
 * to a tensor. Takes over the reference; NULL stays NULL. */
static PyObject* open_argument(const tnp_binding* binding, PyObject* object) {
  object = tnp_unwrap_carriers(object);
  if (object == NULL || !binding->numbers || Py_TYPE(object) != tnp_tensor_type) return object;
  const tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL || !(tenon_tensor_flags(tensor) & TENON_TENSOR_WRAPPED_NUMBER)) return object;
  PyObject* number = tnp_tensor_tolist(object, NULL);
  Py_DECREF(object);
  return number;
}

/* Builds (types, args, kwargs) of a call, for a handler. */
static int handler_arguments(uint32_t kind, tnp_binding* binding, const tenon_stack* stack,
                             PyObject** out) {
  Py_ssize_t nargs;
  PyObject* kwnames;
  PyObject** objects =
      tnp_values_to_arguments(binding, stack->args, stack->nargs, 0, &nargs, &kwnames);
  if (objects == NULL) return -1;
  Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  PyObject* types = PyList_New(0);
  PyObject* args = PyTuple_New(nargs);
  PyObject* kwargs = PyDict_New();
  bool failed = types == NULL || args == NULL || kwargs == NULL;
  for (Py_ssize_t i = 0; i < nargs + named; i++) {
    PyObject* object = open_argument(binding, objects[i]);
    if (object == NULL || failed || add_types(types, object, kind) != 0) {
      failed = true;
      Py_XDECREF(object);
    } else if (i < nargs) {
      PyTuple_SET_ITEM(args, i, object);
    } else {
      failed = PyDict_SetItem(kwargs, PyTuple_GET_ITEM(kwnames, i - nargs), object) != 0;
      Py_DECREF(object);
    }
  }
  PyMem_Free(objects);
  Py_XDECREF(kwnames);
  out[0] = failed ? NULL : PyList_AsTuple(types);
  Py_XDECREF(types);
  out[1] = args;
  out[2] = kwargs;
  return failed || out[0] == NULL ? -1 : 0;
}

/* Converts the results of an override: any objects, as many as the operator returns. */
static int override_results(tnp_op* op, tnp_binding* b, PyObject* result, tenon_value* rets) {
  if (b->nrets == 1) return tnp_to_owned(result, &rets[0]);
  bool fits = b->nrets == 0 ? result == Py_None
                            : (PyTuple_Check(result) || PyList_Check(result)) &&
                                  PySequence_Fast_GET_SIZE(result) == (Py_ssize_t)b->nrets;
  if (!fits) {
    tnp_raise_format(TENON_ERROR_TYPE, "%U: the handler must return %u results, got %s", op->name,
                     b->nrets, Py_TYPE(result)->tp_name);
    return -1;
  }
  for (uint32_t i = 0; i < b->nrets; i++) {
    if (tnp_to_owned(PySequence_Fast_GET_ITEM(result, i), &rets[i]) != 0) {
      tenon_value_clear_n(rets, i);
      return -1;
    }
  }
  return 0;
}

/* While a handler runs a view operator: the argument that new wrappers are views of, or NULL. */
static _Thread_local tenon_tensor* viewed;

/* Returns the wrapper of which an operator's results are views, NULL if there is none. */
static tenon_tensor* viewed_argument(const tnp_binding* binding, const tenon_stack* stack) {
  const int64_t at = binding->viewed;
  if (at < 0 || at >= (int64_t)stack->nargs) return NULL;
  const tenon_value* value = &stack->args[at];
  const bool wraps = value->tag == TENON_TAG_TENSOR && value->as.tensor != NULL &&
                     tenon_wrapper_object(value->as.tensor) != NULL;
  return wraps ? value->as.tensor : NULL;
}

static PyObject* dispatch_rules; /* of dispatch_rule.py: operator -> class -> function */

/* Returns the handler of a call, a new reference: the rule for an operator and a class, or the
 * bound method. Sets `out_rule` if it is a rule, which also takes the class or the mode as an
 * argument. */
static PyObject* find_handler(uint32_t kind, PyObject* self, tnp_op* op, bool* out_rule) {
  *out_rule = false;
  if (kind == TENON_MODE_WRAPPER && dispatch_rules != NULL && PyDict_GET_SIZE(dispatch_rules) > 0) {
    PyObject* of_op = PyDict_GetItemWithError(dispatch_rules, (PyObject*)op);
    PyObject* cls = PyType_Check(self) ? self : (PyObject*)Py_TYPE(self);
    PyObject* rule = of_op != NULL ? PyDict_GetItemWithError(of_op, cls) : NULL;
    *out_rule = rule != NULL;
    if (rule != NULL || PyErr_Occurred()) return Py_XNewRef(rule);
  }
  return PyObject_GetAttr(self, protocol_names[kind]);
}

static tenon_status run_handler(uint32_t kind, PyObject* self, tnp_op* op, tenon_stack* stack) {
  tnp_binding* binding = op->binding;
  binding->references++;
  PyObject* parts[3] = {NULL, NULL, NULL};
  PyObject* result = NULL;
  bool is_rule;
  PyObject* method = find_handler(kind, self, op, &is_rule);
  if (method != NULL && handler_arguments(kind, binding, stack, parts) == 0) {
    PyObject* vector[5] = {self, (PyObject*)op, parts[0], parts[1], parts[2]};
    tenon_tensor* outer = viewed;
    viewed = kind == TENON_MODE_WRAPPER ? viewed_argument(binding, stack) : NULL;
    result =
        is_rule ? PyObject_Vectorcall(method, vector, 5, NULL)
                : PyObject_Vectorcall(method, vector + 1, 4 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    viewed = outer;
  }
  Py_XDECREF(method);
  for (int i = 0; i < 3; i++) Py_XDECREF(parts[i]);
  tenon_status status = TENON_ERROR_FOREIGN;
  if (result == Py_NotImplemented) {
    status = TENON_DECLINED;
  } else if (result != NULL) {
    int done = kind == TENON_MODE_OVERRIDE
                   ? override_results(op, binding, result, stack->rets)
                   : tnp_results_to_values(op, binding, stack->args, result, true, stack->rets);
    if (done == 0) status = TENON_OK;
  }
  Py_XDECREF(result);
  tnp_binding_release(binding);
  return status;
}

static tenon_status handle(uint32_t kind, void* self, const tenon_op* c_op, tenon_stack* stack) {
  PyGILState_STATE state;
  if (!tnp_attach(&state)) {
    return tenon_error_raise(TENON_ERROR_STATE,
                             "Python: the interpreter must be running to call a handler written in "
                             "Python, got one that is shutting down");
  }
  tenon_status status = TENON_ERROR_FOREIGN;
  tnp_op* op = (tnp_op*)tnp_op_object(c_op);
  if (op != NULL && tnp_op_ready(op) == 0) {
    PyObject* object = tnp_carried_get(self);
    Py_INCREF(object);
    status = run_handler(kind, object, op, stack);
    Py_DECREF(object);
  }
  Py_XDECREF(op);
  if (status != TENON_OK && status != TENON_DECLINED) {
    stack->error = tnp_take_exception();
    status = tenon_error_code(stack->error);
  }
  tnp_drain_pending();
  tnp_detach(state);
  return status;
}

static tenon_status on_override(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)keys;
  return handle(TENON_MODE_OVERRIDE, self, op, stack);
}

static tenon_status on_dispatch(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)keys;
  return handle(TENON_MODE_WRAPPER, self, op, stack);
}

void tnp_add_handlers(PyTypeObject* python, tenon_object_type* type) {
  if (has_handler(python, TENON_MODE_OVERRIDE)) type->override = on_override;
  if (has_handler(python, TENON_MODE_WRAPPER)) type->dispatch = on_dispatch;
}

/* ---- Modes and wrapper tensors --------------------------------------------------------------- */

static PyObject* mode_push(PyObject* module, PyObject* args) {
  (void)module;
  unsigned kind;
  PyObject* mode;
  if (!PyArg_ParseTuple(args, "IO:mode_push", &kind, &mode)) return NULL;
  tnp_call call;
  tnp_call_begin(&call, false);
  tenon_value value = {0};
  int result = tnp_to_object(&call, mode, TENON_TAG_OBJECT, &value);
  if (result == 0) result = tnp_check(tenon_mode_push(kind, value.as.object));
  tnp_call_end(&call);
  if (result != 0) return NULL;
  if (kind == TENON_MODE_OVERRIDE) tnp_count_modes(1);
  Py_RETURN_NONE;
}

/* Returns true if a tenon_object carries this Python object; -1 with an exception. */
static int is_around(tenon_object* handle, PyObject* object) {
  if (handle == NULL) return 0;
  PyObject* opened = tnp_object_open(handle);
  if (opened == NULL) return -1;
  Py_DECREF(opened);
  return opened == object;
}

/* Pops the innermost mode if it is `mode`. Each push creates another tenon_object for the mode, so
 * the objects that they carry are compared. */
static PyObject* mode_pop(PyObject* module, PyObject* args) {
  (void)module;
  unsigned kind;
  PyObject* mode;
  if (!PyArg_ParseTuple(args, "IO:mode_pop", &kind, &mode)) return NULL;
  tenon_object* innermost = tenon_mode_get(kind, 0);
  int found = is_around(innermost, mode);
  if (found < 0) return NULL;
  /* With NULL, which is no mode, the library raises the error. */
  if (tnp_check(tenon_mode_pop(kind, found ? innermost : NULL)) != 0) return NULL;
  if (kind == TENON_MODE_OVERRIDE) tnp_count_modes(-1);
  Py_RETURN_NONE;
}

/* Reads dims or strides into `out`. Returns their count, or -1 with an exception. */
static Py_ssize_t read_numbers(PyObject* numbers, const char* what, int64_t* out) {
  Py_ssize_t count = PyTuple_GET_SIZE(numbers);
  if (count > TENON_TENSOR_MAX_DIMS) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT, "wrapper: %s must have at most %d dims, got %zd",
                     what, TENON_TENSOR_MAX_DIMS, count);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(numbers, i));
    if (out[i] == -1 && PyErr_Occurred()) return -1;
  }
  return count;
}

/* wrapper(cls, sizes, strides or None, storage_offset, dtype, device, keys, alias_of or None):
 * creates a Tensor of class `cls` without memory. */
static PyObject* new_wrapper(PyObject* module, PyObject* args) {
  (void)module;
  PyTypeObject* cls;
  PyObject *sizes, *strides, *dtype_object, *device_object, *alias_of;
  long long storage_offset;
  unsigned long long keys;
  if (!PyArg_ParseTuple(args, "O!O!OLOOKO:wrapper", &PyType_Type, &cls, &PyTuple_Type, &sizes,
                        &strides, &storage_offset, &dtype_object, &device_object, &keys,
                        &alias_of)) {
    return NULL;
  }
  if (!PyType_IsSubtype(cls, tnp_tensor_type) || !has_handler(cls, TENON_MODE_WRAPPER)) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "wrapper: cls must be a subclass of Tensor with __torch_dispatch__, "
                            "got %s",
                            cls->tp_name);
  }
  int64_t dims[TENON_TENSOR_MAX_DIMS], steps[TENON_TENSOR_MAX_DIMS];
  tenon_dtype dtype;
  tenon_device device;
  Py_ssize_t ndim = read_numbers(sizes, "sizes", dims);
  if (ndim < 0) return NULL;
  if (strides != Py_None) {
    Py_ssize_t count = read_numbers(strides, "strides", steps);
    if (count < 0) return NULL;
    if (count != ndim) {
      return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                              "wrapper: strides must be %zd, as sizes are, got %zd", ndim, count);
    }
  }
  if (alias_of != Py_None && !TNP_IS_TENSOR(alias_of)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "wrapper: alias_of must be Tensor, got %s",
                            Py_TYPE(alias_of)->tp_name);
  }
  tenon_tensor* base = alias_of != Py_None ? tnp_tensor_get(alias_of) : viewed;
  if (alias_of != Py_None && base == NULL) return NULL;
  if (tnp_to_dtype(dtype_object, &dtype) <= 0 || tnp_to_device(device_object, &device) <= 0) {
    if (PyErr_Occurred()) return NULL;
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "wrapper: dtype must be a dtype and device a device, got %s and %s",
                            Py_TYPE(dtype_object)->tp_name, Py_TYPE(device_object)->tp_name);
  }
  tenon_tensor* tensor;
  /* The handler belongs to the class; state of one tensor is kept in attributes of its object. */
  const tenon_object_type* type = tnp_carried_type(cls);
  void* self = type != NULL ? tnp_carry((PyObject*)cls) : NULL;
  if (self == NULL) return NULL;
  const tenon_wrapper_options options = {.struct_size = sizeof options,
                                         .ndim = (int64_t)ndim,
                                         .sizes = dims,
                                         .strides = strides != Py_None ? steps : NULL,
                                         .storage_offset = storage_offset,
                                         .dtype = dtype,
                                         .device = &device,
                                         .keys = keys,
                                         .alias_of = base};
  if (tnp_check(tenon_wrapper_new(type, self, &options, &tensor)) != 0) {
    type->release(self);
    return NULL;
  }
  return tnp_tensor_wrap_as(cls, tensor);
}

/* restride(tensor, sizes, strides, storage_offset): changes a tensor's view of its storage. */
static PyObject* restride(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *object, *sizes, *strides;
  long long storage_offset;
  if (!PyArg_ParseTuple(args, "OO!O!L:restride", &object, &PyTuple_Type, &sizes, &PyTuple_Type,
                        &strides, &storage_offset)) {
    return NULL;
  }
  int64_t dims[TENON_TENSOR_MAX_DIMS], steps[TENON_TENSOR_MAX_DIMS];
  tenon_tensor* tensor = tnp_tensor_get(object);
  const Py_ssize_t ndim = tensor != NULL ? read_numbers(sizes, "sizes", dims) : -1;
  if (ndim < 0 || read_numbers(strides, "strides", steps) != ndim) return NULL;
  if (tnp_check(tenon_tensor_restride(tensor, ndim, dims, steps, storage_offset)) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* has_dispatch(PyObject* module, PyObject* cls) {
  (void)module;
  return PyBool_FromLong(PyType_Check(cls) && has_handler((PyTypeObject*)cls, TENON_MODE_WRAPPER));
}

/* Sets the member of Tensor that means "no handler". */
static PyObject* set_default_dispatch(PyObject* module, PyObject* member) {
  (void)module;
  Py_XSETREF(default_dispatch, Py_NewRef(member));
  Py_RETURN_NONE;
}

static PyObject* set_dispatch_rules(PyObject* module, PyObject* rules) {
  (void)module;
  Py_XSETREF(dispatch_rules, Py_NewRef(rules));
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"set_dispatch_rules", set_dispatch_rules, METH_O, NULL},
                                {"has_dispatch", has_dispatch, METH_O, NULL},
                                {"set_default_dispatch", set_default_dispatch, METH_O, NULL},
                                {"mode_push", mode_push, METH_VARARGS, NULL},
                                {"mode_pop", mode_pop, METH_VARARGS, NULL},
                                {"wrapper", new_wrapper, METH_VARARGS, NULL},
                                {"restride", restride, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};

int tnp_overrides_init(PyObject* module) {
  static const char* const names[] = {"__torch_function__", "__torch_dispatch__"};
  for (int kind = 0; kind < 2; kind++) {
    if (protocol_names[kind] == NULL &&
        (protocol_names[kind] = PyUnicode_InternFromString(names[kind])) == NULL) {
      return -1;
    }
  }
  return PyModule_AddFunctions(module, methods);
}
