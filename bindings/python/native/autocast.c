/* SPDX-License-Identifier: Apache-2.0 */
/* Autocast: regions, the thread's settings, casts and cast rules. */
#include "native.h"

/* ---- Regions --------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD tenon_autocast_guard guard;
  tenon_autocast_state state;
  int32_t device_type;
  bool entered;
} autocast_guard;

static int read_state(PyObject* args, const char* format, int* out_device_type,
                      tenon_autocast_state* out_state) {
  unsigned flags;
  PyObject* dtype;
  if (!PyArg_ParseTuple(args, format, out_device_type, &flags, &dtype)) return -1;
  *out_state = (tenon_autocast_state){.struct_size = sizeof *out_state, .flags = flags};
  int found = tnp_to_dtype(dtype, &out_state->dtype);
  if (found == 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "autocast: dtype must be dtype, got %s",
                     Py_TYPE(dtype)->tp_name);
  }
  return found == 1 ? 0 : -1;
}

static PyObject* guard_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)kwargs;
  tenon_autocast_state state;
  int device_type;
  if (read_state(args, "iIO:AutocastGuard", &device_type, &state) != 0) return NULL;
  autocast_guard* self = (autocast_guard*)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->state = state;
  self->device_type = device_type;
  return (PyObject*)self;
}

static PyObject* guard_enter(PyObject* object, PyObject* unused) {
  (void)unused;
  autocast_guard* self = (autocast_guard*)object;
  if (self->entered) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "autocast: a region must be entered once at a time, got an entered "
                            "one");
  }
  if (tnp_check(tenon_autocast_enter(self->device_type, &self->state, &self->guard)) != 0) {
    return NULL;
  }
  self->entered = true;
  return Py_NewRef(object);
}

static PyObject* guard_exit(PyObject* object, PyObject* args) {
  (void)args;
  autocast_guard* self = (autocast_guard*)object;
  if (!self->entered) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "autocast: a region must be entered before it is left, got one that "
                            "is not");
  }
  /* If a generator leaves on another thread or out of order, this is an error, and the region stays
   * entered. */
  if (tnp_check(tenon_autocast_leave(&self->guard)) != 0) return NULL;
  self->entered = false;
  Py_RETURN_NONE;
}

static void guard_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMethodDef guard_methods[] = {{"__enter__", guard_enter, METH_NOARGS, NULL},
                                      {"__exit__", guard_exit, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot guard_slots[] = {{Py_tp_doc, "An autocast region of the thread."},
                                    {Py_tp_new, guard_new},
                                    {Py_tp_dealloc, guard_dealloc},
                                    {Py_tp_methods, guard_methods},
                                    {0, NULL}};
static PyType_Spec guard_spec = {"tenon._tenon.AutocastGuard", sizeof(autocast_guard), 0,
                                 Py_TPFLAGS_DEFAULT, guard_slots};

/* Returns (flags, dtype) of a device type. */
static PyObject* autocast_get(PyObject* module, PyObject* args) {
  (void)module;
  int device_type;
  if (!PyArg_ParseTuple(args, "i:autocast_get", &device_type)) return NULL;
  tenon_autocast_state state = {.struct_size = sizeof state};
  if (tnp_check(tenon_autocast_get(device_type, &state)) != 0) return NULL;
  return Py_BuildValue("(IN)", (unsigned)state.flags, tnp_dtype_object(state.dtype));
}

static PyObject* autocast_set(PyObject* module, PyObject* args) {
  (void)module;
  tenon_autocast_state state;
  int device_type;
  if (read_state(args, "iIO:autocast_set", &device_type, &state) != 0) return NULL;
  if (tnp_check(tenon_autocast_set(device_type, &state)) != 0) return NULL;
  Py_RETURN_NONE;
}

/* ---- Casts ----------------------------------------------------------------------------------- */

static int read_dtype(const char* function, PyObject* object, tenon_dtype* out_dtype) {
  int found = tnp_to_dtype(object, out_dtype);
  if (found == 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "%s: dtype must be dtype, got %s", function,
                     Py_TYPE(object)->tp_name);
  }
  return found == 1 ? 0 : -1;
}

/* (device type, dtype, tensor): returns the cast tensor, or the tensor itself if no cast
 * applies. */
static PyObject* autocast_cast(PyObject* module, PyObject* args) {
  (void)module;
  int device_type;
  PyObject *dtype_object, *tensor;
  tenon_dtype dtype;
  if (!PyArg_ParseTuple(args, "iOO:autocast_cast", &device_type, &dtype_object, &tensor)) {
    return NULL;
  }
  if (read_dtype("cached_cast", dtype_object, &dtype) != 0) return NULL;
  if (!TNP_IS_TENSOR(tensor)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "cached_cast: tensor must be Tensor, got %s",
                            Py_TYPE(tensor)->tp_name);
  }
  tenon_value given = tenon_value_of_tensor(tnp_tensor_get(tensor));
  tenon_value cast;
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status = tenon_autocast_cast(device_type, dtype, &given, &cast);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) return NULL;
  if (cast.as.tensor == given.as.tensor) {
    tenon_value_clear(&cast);
    return Py_NewRef(tensor);
  }
  return tnp_tensor_wrap(cast.as.tensor);
}

/* (device type, initial, tensors): returns the widest dtype. */
static PyObject* autocast_promote(PyObject* module, PyObject* args) {
  (void)module;
  int device_type;
  PyObject *initial, *tensors;
  tenon_dtype dtype;
  if (!PyArg_ParseTuple(args, "iOO!:autocast_promote", &device_type, &initial, &PyTuple_Type,
                        &tensors)) {
    return NULL;
  }
  if (read_dtype("promote_type", initial, &dtype) != 0) return NULL;
  Py_ssize_t count = PyTuple_GET_SIZE(tensors);
  tenon_value* values = PyMem_Calloc((size_t)count + 1, sizeof *values);
  if (values == NULL) return PyErr_NoMemory();
  PyObject* widest = NULL;
  Py_ssize_t known = 0;
  for (; known < count; ++known) {
    PyObject* tensor = PyTuple_GET_ITEM(tensors, known);
    if (!TNP_IS_TENSOR(tensor)) {
      tnp_raise_format(TENON_ERROR_TYPE, "promote_type: argument %zd must be Tensor, got %s", known,
                       Py_TYPE(tensor)->tp_name);
      break;
    }
    values[known] = tenon_value_of_tensor(tnp_tensor_get(tensor));
  }
  if (known == count &&
      tnp_check(tenon_autocast_promote(device_type, dtype, values, count, &dtype)) == 0) {
    widest = tnp_dtype_object(dtype);
  }
  PyMem_Free(values);
  return widest;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* (library, name, kind, device type, dtype or None, advice or None, policy, file, line): returns
 * the registration's handle. */
static PyObject* register_autocast(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *library, *dtype;
  const char* name;
  tenon_cast_rule rule = {
      .struct_size = sizeof rule, .language = TENON_LANGUAGE_PYTHON, .dtype = TENON_DTYPE_NONE};
  if (!PyArg_ParseTuple(args, "O!sIiOzIsi:register_autocast", tnp_library_type, &library, &name,
                        &rule.kind, &rule.device_type, &dtype, &rule.advice, &rule.policy,
                        &rule.file, &rule.line)) {
    return NULL;
  }
  if (dtype != Py_None && read_dtype("register_autocast", dtype, &rule.dtype) != 0) return NULL;
  tenon_registration* registration = NULL;
  tenon_library* handle = tenon_library_retain(((tnp_library*)library)->library);
  tenon_status status;
  Py_BEGIN_ALLOW_THREADS status =
      tenon_library_register_autocast(handle, name, &rule, &registration);
  tenon_library_release(handle);
  Py_END_ALLOW_THREADS if (tnp_check(status) != 0) return NULL;
  return tnp_handle_new(TNP_HANDLE_REGISTRATION, registration);
}

static PyMethodDef functions[] = {
    {"autocast_get", autocast_get, METH_VARARGS,
     "autocast_get(device_type, /)\n--\n\nReturns flags and dtype of the thread's autocast."},
    {"autocast_set", autocast_set, METH_VARARGS,
     "autocast_set(device_type, flags, dtype, /)\n--\n\nSets what autocast does."},
    {"autocast_cast", autocast_cast, METH_VARARGS,
     "autocast_cast(device_type, dtype, tensor, /)\n--\n\nReturns the cast of an eligible tensor."},
    {"autocast_promote", autocast_promote, METH_VARARGS,
     "autocast_promote(device_type, initial, tensors, /)\n--\n\nReturns the widest dtype."},
    {"register_autocast", register_autocast, METH_VARARGS,
     "register_autocast(library, name, kind, device_type, dtype, advice, policy, file, line, /)\n"
     "--\n\nRegisters a cast rule."},
    {NULL, NULL, 0, NULL}};

int tnp_autocast_init(PyObject* module) {
  static PyTypeObject* guard_type;
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &guard_type, &guard_spec, NULL);
}
