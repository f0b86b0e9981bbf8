/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled schemas: matches Python arguments and results with a schema. */
#include "binding.h"
#include "value.h"

/* ---- Compiling a schema ---------------------------------------------------------------------- */

static int compile_argument(const tenon_argument_info* info, tnp_argument* out,
                            tenon_value* default_value) {
  out->name = PyUnicode_InternFromString(info->name);
  if (out->name == NULL) return -1;
  out->kwarg_only = (info->flags & TENON_ARGUMENT_KWARG_ONLY) != 0;
  out->written = (info->flags & TENON_ARGUMENT_WRITTEN) != 0;
  out->aliased = info->aliased_argument;
  if (info->default_value != NULL) {
    out->has_default = true;
    *default_value = *info->default_value;
    default_value->flags &= (uint16_t)~TENON_VALUE_OWNED;
    if (default_value->tag == TENON_TAG_NONE) *default_value = (tenon_value){0};
  }
  return tnp_type_compile(info->type, info->list_size, &out->type);
}

/* Determines the lane of an operator's typed signature. */
static void compile_lane(tnp_binding* self) {
  static const char* const lanes[TNP_LANE_COUNT] = {
      [TNP_LANE_T] = "T>T",          [TNP_LANE_TT] = "TT>T",         [TNP_LANE_TTT] = "TTT>T",
      [TNP_LANE_TTV] = "TTv>T",      [TNP_LANE_TV] = "Tv>T",         [TNP_LANE_TI] = "Ti>T",
      [TNP_LANE_TII] = "Tii>T",      [TNP_LANE_TIVVI] = "Tivvi>T",   [TNP_LANE_TLIST] = "TI>T",
      [TNP_LANE_TLISTB] = "TIb>T",   [TNP_LANE_T_NOTHING] = "T>",    [TNP_LANE_TV_NOTHING] = "Tv>",
      [TNP_LANE_TT_NOTHING] = "TT>", [TNP_LANE_TTV_NOTHING] = "TTv>"};
  self->lane = TNP_LANE_NONE;
  self->signature = UINT64_MAX;
  if (self->nargs > TNP_FEW) return;
  const char* letters = tenon_schema_signature(self->schema);
  for (uint8_t lane = 1; lane < TNP_LANE_COUNT; lane++) {
    if (strcmp(lanes[lane], letters) != 0) continue;
    self->lane = lane;
    self->signature = tenon_schema_signature_hash(self->schema);
  }
}

void tnp_binding_free(tnp_binding* binding) {
  for (uint32_t i = 0; i < binding->nargs; i++) {
    Py_XDECREF(binding->args[i].name);
    tnp_type_free(&binding->args[i].type);
  }
  for (uint32_t i = 0; i < binding->nrets; i++) {
    Py_XDECREF(binding->rets[i].name);
    tnp_type_free(&binding->rets[i].type);
  }
  PyMem_Free(binding->args);
  PyMem_Free(binding->rets);
  PyMem_Free(binding->defaults);
  tenon_schema_release(binding->schema);
  Py_XDECREF(binding->results);
  PyMem_Free(binding);
}

static int compile(tnp_binding* self) {
  for (uint32_t i = 0; i < self->nargs; i++) {
    tenon_argument_info info = {.struct_size = sizeof info};
    if (tnp_check(tenon_schema_get_argument(self->schema, i, &info)) != 0 ||
        compile_argument(&info, &self->args[i], &self->defaults[i]) != 0) {
      return -1;
    }
    if (!self->args[i].kwarg_only) self->npositional++;
    if (!self->args[i].has_default) self->required = i + 1;
  }
  self->viewed = -1;
  for (uint32_t i = 0; i < self->nrets; i++) {
    tenon_argument_info info = {.struct_size = sizeof info};
    tenon_value unused;
    if (tnp_check(tenon_schema_get_return(self->schema, i, &info)) != 0 ||
        compile_argument(&info, &self->rets[i], &unused) != 0) {
      return -1;
    }
    /* Only a written argument must be returned itself: a view is a new tensor. */
    int64_t aliased = self->rets[i].aliased;
    if (aliased < self->nargs && !(aliased >= 0 && self->args[aliased].written)) {
      self->viewed = aliased;
    }
    if (aliased < 0 || aliased >= self->nargs || !self->args[aliased].written) {
      self->rets[i].aliased = -1;
    }
  }
  self->returns_tensor =
      self->nrets == 1 && self->rets[0].type.conv == TNP_CONV_TENSOR && self->rets[0].aliased < 0;
  bool few = self->required <= TNP_FEW_TENSORS && self->required <= self->npositional &&
             self->nargs <= TNP_FEW && !self->vararg;
  self->tensors = few ? (int32_t)self->required : -1;
  for (uint32_t i = 0; i < self->required; i++) {
    if (self->args[i].type.conv != TNP_CONV_TENSOR) self->tensors = -1;
  }
  compile_lane(self);
  return 0;
}

tnp_binding* tnp_binding_new(tenon_schema* schema, bool numbers) {
  tnp_binding* self = PyMem_Calloc(1, sizeof *self);
  if (self == NULL) {
    tenon_schema_release(schema);
    PyErr_NoMemory();
    return NULL;
  }
  self->references = 1;
  self->schema = schema;
  size_t nargs = (size_t)tenon_schema_argument_count(schema);
  size_t nrets = (size_t)tenon_schema_return_count(schema);
  self->args = PyMem_Calloc(nargs + 1, sizeof *self->args);
  self->rets = PyMem_Calloc(nrets + 1, sizeof *self->rets);
  self->defaults = PyMem_Calloc(nargs + 1, sizeof *self->defaults);
  if (self->args == NULL || self->rets == NULL || self->defaults == NULL) {
    tnp_binding_free(self);
    PyErr_NoMemory();
    return NULL;
  }
  self->nargs = (uint32_t)nargs;
  self->nrets = (uint32_t)nrets;
  self->numbers = numbers;
  uint32_t flags = tenon_schema_flags(schema);
  self->vararg = (flags & TENON_SCHEMA_VARARG) != 0;
  self->varret = (flags & TENON_SCHEMA_VARRET) != 0;
  self->takes_forms = strncmp(tenon_schema_name(schema), "aten::", 6) == 0;
  if (compile(self) == 0) {
    self->returns_list =
        self->takes_forms && nrets == 1 && self->rets[0].type.conv == TNP_CONV_TENSOR_LIST;
    self->results = tnp_results_type(schema, self->nrets);
    if (self->results != NULL || !PyErr_Occurred()) return self;
  }
  tnp_binding_free(self);
  return NULL;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Records a mismatch that is not a failed conversion of an object, such as a missing argument. */
static int misfit(tnp_mismatch* why) {
  why->found = true;
  why->object = NULL;
  return 1;
}

static uint32_t find_argument(const tnp_binding* b, PyObject* name) {
  for (uint32_t i = 0; i < b->nargs; i++) {
    if (b->args[i].name == name) return i;
  }
  for (uint32_t i = 0; i < b->nargs; i++) {
    if (PyUnicode_Compare(b->args[i].name, name) == 0) return i;
  }
  return UINT32_MAX;
}

/* Returns true if an exception means that an object's memory cannot be shared, rather than that its
 * code failed: one of our own exceptions, or one that exports of other packages raise for this. */
static bool is_sharing_error(PyObject* exception) {
  return tnp_error_of(exception) != NULL ||
         PyErr_GivenExceptionMatches(exception, PyExc_BufferError) ||
         Py_TYPE(exception) == (PyTypeObject*)PyExc_RuntimeError;
}

/* Returns a message like that of tenon_schema_bind: "ns::f: n must be int, got str at position 1;
 * schema: ...". */
static PyObject* misfit_text(const tnp_binding* b, const tnp_mismatch* why) {
  char actual[160], position[40] = "";
  const char* overload = tenon_schema_overload(b->schema);
  const tnp_argument* argument = why->index < b->nargs ? &b->args[why->index] : NULL;
  tnp_describe(why->object, actual, sizeof actual);
  if (!why->by_name) PyOS_snprintf(position, sizeof position, " at position %u", why->index);
  PyObject* name = argument ? Py_NewRef(argument->name) : PyUnicode_FromString("argument");
  if (name == NULL) return NULL;
  PyObject* text = PyUnicode_FromFormat(
      "%s%s%s: %U must be %s, got %s%s%s%s%s; schema: %s", tenon_schema_name(b->schema),
      *overload ? "." : "", overload, name, argument ? argument->type.text : "Any", actual,
      why->detail ? " (" : "", why->detail ? why->detail : "", why->detail ? ")" : "", position,
      tenon_schema_text(b->schema));
  Py_DECREF(name);
  return text;
}

void tnp_name_argument_in_error(const tnp_binding* b, uint32_t index, bool by_name,
                                PyObject* object) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != NULL) PyException_SetTraceback(value, traceback);
  if (!is_sharing_error(value)) {
    const char* overload = tenon_schema_overload(b->schema);
    PyErr_Restore(type, value, traceback);
    tnp_note("argument '%U' (position %u) of %s%s%s", b->args[index].name, index,
             tenon_schema_name(b->schema), *overload ? "." : "", overload);
    return;
  }
  const tenon_error* ours = tnp_error_of(value);
  PyObject* reason = ours ? PyObject_Str(value)
                          : PyUnicode_FromFormat("%s: %S", ((PyTypeObject*)type)->tp_name, value);
  const char* detail = reason ? PyUnicode_AsUTF8(reason) : NULL;
  tnp_mismatch why = {.index = index, .by_name = by_name, .object = object, .detail = detail};
  PyObject* text = detail ? misfit_text(b, &why) : NULL;
  if (text != NULL) {
    tnp_raise_format(ours ? tenon_error_code(ours) : TENON_ERROR_TYPE, "%U", text);
  }
  if (text != NULL && ours == NULL) { /* for one of our errors the text is sufficient */
    PyObject *outer_type, *outer, *outer_traceback;
    PyErr_Fetch(&outer_type, &outer, &outer_traceback);
    PyErr_NormalizeException(&outer_type, &outer, &outer_traceback);
    PyException_SetCause(outer, Py_NewRef(value));
    PyErr_Restore(outer_type, outer, outer_traceback);
  }
  Py_XDECREF(text);
  Py_XDECREF(reason);
  Py_DECREF(type);
  Py_DECREF(value);
  Py_XDECREF(traceback);
}

int tnp_report_type_mismatch(const tnp_binding* b, tnp_mismatch* why, const tnp_call* call,
                             int result, uint32_t index, bool by_name, PyObject* object) {
  if (result < 0) {
    tnp_name_argument_in_error(b, index, by_name, object);
    return -1;
  }
  *why = (tnp_mismatch){.found = true,
                        .index = index,
                        .by_name = by_name,
                        .object = object,
                        .detail = call->detail,
                        .explain = why->explain};
  return 1;
}

/* ---- Arguments that do not match: the library's message -------------------------------------- */

/* Converts an object to a value: of the argument's type if it matches, otherwise of the object's
 * own type, otherwise carried as an object. */
static int any_value(const tnp_binding* b, tnp_call* call, uint32_t index, PyObject* object,
                     tenon_value* out) {
  if (index < b->nargs && tnp_to_value(call, &b->args[index].type, object, out) == 0) return 0;
  PyErr_Clear();
  *out = (tenon_value){0};
  if (tnp_to_any(call, object, out) == 0) return 0;
  PyErr_Clear();
  *out = (tenon_value){0};
  return tnp_to_object(call, object, TENON_TAG_OBJECT, out);
}

/* Returns the message of tenon_schema_bind for the same arguments; NULL if it accepts them, or with
 * an exception. */
static PyObject* bind_error_text(const tnp_binding* b, PyObject* const* args, Py_ssize_t nargs,
                                 PyObject* kwnames) {
  Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0, read = 0;
  Py_ssize_t room = nargs > (Py_ssize_t)b->nargs ? nargs : (Py_ssize_t)b->nargs;
  tenon_value* values = PyMem_Calloc((size_t)(nargs + named + room + 1), sizeof *values);
  const char** names = PyMem_Calloc((size_t)(named + 1), sizeof *names);
  PyObject* text = NULL;
  tnp_call call;
  tnp_call_begin(&call, b->numbers);
  if (values == NULL || names == NULL) {
    PyErr_NoMemory();
    goto done;
  }
  for (; read < nargs + named; read++) {
    PyObject* name = read < nargs ? NULL : PyTuple_GET_ITEM(kwnames, read - nargs);
    uint32_t index = name ? find_argument(b, name) : (uint32_t)read;
    if (any_value(b, &call, index, args[read], &values[read]) != 0) goto done;
    if (name != NULL && (names[read - nargs] = PyUnicode_AsUTF8(name)) == NULL) goto done;
  }
  tenon_value* bound = values + nargs + named;
  if (tenon_schema_bind(b->schema, values, nargs, names, values + nargs, named, bound) ==
      TENON_OK) {
    tenon_value_clear_n(bound, room);
  } else {
    tenon_error* error = tenon_error_take();
    text = PyUnicode_FromString(tenon_error_message(error));
    tenon_error_release(error);
  }
done:
  tnp_call_end(&call);
  PyMem_Free(values);
  PyMem_Free(names);
  return text;
}

PyObject* tnp_mismatch_text(const tnp_binding* b, const tnp_mismatch* why, PyObject* const* args,
                            Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* text = why->detail == NULL ? bind_error_text(b, args, nargs, kwnames) : NULL;
  if (text != NULL || PyErr_Occurred()) return text;
  if (why->object != NULL) return misfit_text(b, why);
  return PyUnicode_FromFormat("%s: arguments must fit the schema, got others; schema: %s",
                              tenon_schema_name(b->schema), tenon_schema_text(b->schema));
}

bool tnp_raise_no_tensor(PyObject* func, const tnp_op* op, const tnp_mismatch* why) {
  const tnp_binding* b = op->binding;
  if (why->object == NULL || why->detail != NULL || b == NULL || why->index >= b->nargs)
    return false;
  const PyTypeObject* type = Py_TYPE(why->object);
  const tnp_argument* argument = &b->args[why->index];
  if (argument->type.conv != TNP_CONV_TENSOR || type->tp_dictoffset == 0 ||
      (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) {
    return false;
  }
  const bool is_method = Py_TYPE(func) != tnp_packet_type;
  const bool is_self = PyUnicode_CompareWithASCIIString(argument->name, "self") == 0;
  const char* full = tenon_op_name(op->op);
  const char* name = strstr(full, "::") + 2;
  char position[32] = "";
  if (!why->by_name) {
    PyOS_snprintf(position, sizeof position, " (position %u)", why->index + (is_method ? 0u : 1u));
  }
  PyObject* class_name = PyObject_GetAttrString((PyObject*)Py_TYPE(why->object), "__name__");
  if (class_name == NULL) return true;
  PyObject* short_name = PyUnicode_FromStringAndSize(name, (Py_ssize_t)strcspn(name, "."));
  if (short_name != NULL) {
    tnp_raise_format(TENON_ERROR_TYPE, "%U(): argument '%s'%s must be Tensor, not %U", short_name,
                     is_self ? "input" : PyUnicode_AsUTF8(argument->name), position, class_name);
  }
  Py_XDECREF(short_name);
  Py_DECREF(class_name);
  return true;
}

/* ---- Binding --------------------------------------------------------------------------------- */

/* Marks an argument not yet given by position or keyword; not a tag of a value. */
#define NOT_GIVEN UINT16_MAX

static int bind_keywords(const tnp_binding* b, tnp_call* call, PyObject* const* values,
                         Py_ssize_t nargs, PyObject* kwnames, tenon_value* out, tnp_mismatch* why) {
  Py_ssize_t count = PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t k = 0; k < count; k++) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    uint32_t i = find_argument(b, name);
    if (i == UINT32_MAX) {
      return misfit(why);
    }
    if (i < (uint32_t)nargs) return misfit(why);
    int result = tnp_to_value(call, &b->args[i].type, values[k], &out[i]);
    if (result != 0) return tnp_report_type_mismatch(b, why, call, result, i, true, values[k]);
    if (!b->args[i].kwarg_only) call->normalised = true;
  }
  return 0;
}

/* Binds calls with keywords, missing or surplus arguments, or a schema that ends in `...`. */
int tnp_bind_slow(const tnp_binding* b, tnp_call* call, PyObject* const* args, Py_ssize_t nargs,
                  PyObject* kwnames, tenon_value* out, tnp_mismatch* why) {
  static const tnp_type any = {TNP_CONV_ANY, 1, 0, 0, -1, "Any", NULL};
  if (nargs > (Py_ssize_t)b->npositional && !b->vararg) {
    return misfit(why);
  }
  uint32_t positional = nargs < (Py_ssize_t)b->npositional ? (uint32_t)nargs : b->npositional;
  for (uint32_t i = 0; i < positional; i++) {
    int result = tnp_to_value(call, &b->args[i].type, args[i], &out[i]);
    if (result != 0) return tnp_report_type_mismatch(b, why, call, result, i, false, args[i]);
  }
  for (uint32_t i = positional; i < b->nargs; i++) out[i].tag = NOT_GIVEN;
  if (kwnames != NULL) {
    int result = bind_keywords(b, call, args + nargs, positional, kwnames, out, why);
    if (result != 0) return result;
  }
  for (uint32_t i = positional; i < b->nargs; i++) {
    if (out[i].tag != NOT_GIVEN) continue;
    if (!b->args[i].has_default) return misfit(why);
    out[i] = b->defaults[i];
  }
  for (Py_ssize_t i = b->nargs; i < nargs; i++) {
    int result = tnp_to_value(call, &any, args[i], &out[i]);
    if (result < 0) return -1;
    if (result > 0)
      return tnp_report_type_mismatch(b, why, call, result, (uint32_t)i, false, args[i]);
  }
  return 0;
}

PyObject** tnp_values_to_arguments(tnp_binding* b, tenon_value* args, uint32_t count, int extra,
                                   Py_ssize_t* out_nargs, PyObject** out_kwnames) {
  /* As in PyTorch, trailing arguments that equal their default are not passed to kernels. */
  uint32_t positional = b->npositional;
  uint32_t surplus = count > b->nargs ? count - b->nargs : 0; /* of a schema that ends in `...` */
  while (surplus == 0 && positional > 0 && b->args[positional - 1].has_default &&
         tnp_value_equal(&args[positional - 1], &b->defaults[positional - 1])) {
    positional--;
  }
  uint32_t keywords = 0;
  for (uint32_t i = b->npositional; i < b->nargs; i++) {
    if (!b->args[i].has_default || !tnp_value_equal(&args[i], &b->defaults[i])) keywords++;
  }
  size_t total = (size_t)extra + positional + surplus + keywords;
  PyObject** objects = PyMem_Calloc(total + 1, sizeof *objects);
  PyObject* names = keywords > 0 ? PyTuple_New(keywords) : NULL;
  *out_kwnames = names;
  if (objects == NULL || (keywords > 0 && names == NULL)) {
    PyMem_Free(objects);
    Py_XDECREF(names);
    PyErr_NoMemory();
    return NULL;
  }
  PyObject** next = objects + extra;
  bool failed = false;
  for (uint32_t i = 0; !failed && i < positional; i++) {
    failed = (*next++ = tnp_from_value(&args[i], false)) == NULL;
  }
  for (uint32_t i = 0; !failed && i < surplus; i++) {
    failed = (*next++ = tnp_from_value(&args[b->nargs + i], false)) == NULL;
  }
  uint32_t k = 0;
  for (uint32_t i = b->npositional; !failed && i < b->nargs; i++) {
    if (b->args[i].has_default && tnp_value_equal(&args[i], &b->defaults[i])) continue;
    Py_INCREF(b->args[i].name);
    PyTuple_SET_ITEM(names, k++, b->args[i].name);
    failed = (*next++ = tnp_from_value(&args[i], false)) == NULL;
  }
  if (failed) {
    for (size_t i = 0; i < total; i++) Py_XDECREF(objects[i]);
    PyMem_Free(objects);
    Py_XDECREF(names);
    return NULL;
  }
  *out_nargs = (Py_ssize_t)(positional + surplus);
  return objects;
}

/* ---- Results --------------------------------------------------------------------------------- */

static int wrong_result(tnp_op* op, uint32_t index, const char* expected, PyObject* actual,
                        const char* detail) {
  char text[160];
  tnp_describe(actual, text, sizeof text);
  tnp_raise_format(TENON_ERROR_TYPE, "%U: result %u of the Python kernel must be %s, got %s%s%s%s",
                   op->name, index, expected, text, detail ? " (" : "", detail ? detail : "",
                   detail ? ")" : "");
  return -1;
}

static int to_result(tnp_op* op, tnp_binding* b, uint32_t index, const tenon_value* args,
                     PyObject* object, bool by_handler, tenon_value* out) {
  tnp_argument* ret = &b->rets[index];
  tnp_call call;
  tnp_call_begin(&call, false);
  tenon_value value;
  int result = tnp_to_value(&call, &ret->type, object, &value);
  if (result > 0) result = wrong_result(op, index, ret->type.text, object, call.detail);
  const bool other = result == 0 && ret->aliased >= 0 && value.tag == TENON_TAG_TENSOR &&
                     value.as.tensor != args[ret->aliased].as.tensor;
  if (other && by_handler) {
    value.as.tensor = args[ret->aliased].as.tensor;
  } else if (other) {
    tnp_raise_format(TENON_ERROR_TYPE,
                     "%U: result %u of the Python kernel must be its argument '%U' itself, got "
                     "another tensor",
                     op->name, index, b->args[ret->aliased].name);
    result = -1;
  }
  if (result == 0) {
    if (value.tag == TENON_TAG_TENSOR) {
      *out = value;
      out->flags = TENON_VALUE_OWNED;
      tenon_tensor_retain(value.as.tensor);
    } else {
      result = tnp_check(tenon_value_copy(&value, out));
    }
  }
  tnp_call_end(&call);
  return result;
}

int tnp_results_to_values(tnp_op* op, tnp_binding* b, const tenon_value* args, PyObject* result,
                          bool by_handler, tenon_value* rets) {
  if (b->nrets == 0) {
    if (result == Py_None) return 0;
    tnp_raise_format(TENON_ERROR_TYPE,
                     "%U: a Python kernel without results must return None, got %s", op->name,
                     Py_TYPE(result)->tp_name);
    return -1;
  }
  if (b->nrets == 1) return to_result(op, b, 0, args, result, by_handler, &rets[0]);
  if (!PyTuple_Check(result) && !PyList_Check(result)) {
    tnp_raise_format(TENON_ERROR_TYPE,
                     "%U: the Python kernel must return a tuple of %u results, got %s", op->name,
                     b->nrets, Py_TYPE(result)->tp_name);
    return -1;
  }
  Py_ssize_t count = PySequence_Fast_GET_SIZE(result);
  if (count != (Py_ssize_t)b->nrets) {
    tnp_raise_format(TENON_ERROR_TYPE, "%U: the Python kernel must return %u results, got %zd",
                     op->name, b->nrets, count);
    return -1;
  }
  for (uint32_t i = 0; i < b->nrets; i++) {
    PyObject* item = PySequence_Fast_GET_ITEM(result, i);
    if (to_result(op, b, i, args, item, by_handler, &rets[i]) != 0) {
      tenon_value_clear_n(rets, i);
      return -1;
    }
  }
  return 0;
}

PyObject* tnp_values_to_object(tenon_value* values, uint32_t count) {
  if (count == 0) Py_RETURN_NONE;
  if (count == 1) {
    PyObject* result = tnp_from_value(&values[0], true);
    if (values[0].flags & TENON_VALUE_OWNED) tenon_value_clear(&values[0]);
    return result;
  }
  PyObject* tuple = PyTuple_New(count);
  for (uint32_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* item = tnp_from_value(&values[i], true);
    if (item == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, item);
  }
  tenon_value_clear_n(values, count);
  return tuple;
}

PyObject* tnp_check_result(tnp_op* op, tnp_binding* b, const tenon_value* args, PyObject* result) {
  if (b->returns_tensor && Py_TYPE(result) == tnp_tensor_type) return result;
  if (b->nrets == 0 && result == Py_None) return result;
  if (b->nrets > 1 && PyTuple_CheckExact(result) && PyTuple_GET_SIZE(result) == b->nrets) {
    bool plain = true;
    for (uint32_t i = 0; plain && i < b->nrets; i++) {
      plain = Py_TYPE(PyTuple_GET_ITEM(result, i)) == tnp_tensor_type &&
              b->rets[i].type.conv == TNP_CONV_TENSOR && b->rets[i].aliased < 0;
    }
    if (plain) return tnp_name_results(b, result);
  }
  /* Converting to values and back checks the result, and normalises it as for other callers. */
  tenon_value few[4] = {{0}};
  tenon_value* rets = b->nrets <= 4 ? few : PyMem_Calloc(b->nrets, sizeof *rets);
  PyObject* converted = NULL;
  if (rets == NULL) {
    PyErr_NoMemory();
  } else if (tnp_results_to_values(op, b, args, result, false, rets) == 0) {
    converted = tnp_name_results(b, tnp_values_to_object(rets, b->nrets));
  }
  if (rets != few) PyMem_Free(rets);
  Py_DECREF(result);
  return converted;
}
