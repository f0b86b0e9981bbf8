/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of Python objects to boxed values by compiled schema types. */
#include "value.h"

#include "exchange.h"
#include "overrides.h"
#include "symbol.h"

static void release_object(void* object) { Py_DECREF((PyObject*)object); }

/* Elements of a list, kept alive for the call: the list may change while a kernel runs. */
typedef struct {
  Py_ssize_t count;
  PyObject* objects[];
} held;

static void release_held(void* handle) {
  held* self = handle;
  for (Py_ssize_t i = 0; i < self->count; i++) Py_DECREF(self->objects[i]);
}

/* Returns room for `count` elements; NULL without an exception for a tuple, which cannot change. */
static held* hold(tnp_call* call, PyObject* sequence, Py_ssize_t count) {
  if (PyTuple_CheckExact(sequence)) return NULL;
  held* self = tnp_take_memory(call, sizeof *self + (size_t)count * sizeof(PyObject*));
  if (self == NULL) return NULL;
  self->count = 0;
  return tnp_own(call, self, release_held) == 0 ? self : NULL;
}

static inline void keep(held* self, PyObject* object) {
  if (self == NULL) return;
  Py_INCREF(object);
  self->objects[self->count++] = object;
}

static void release_tensor(void* handle) { tenon_tensor_release(handle); }

/* Returns true if an object counts as an integer, such as numpy.int64, and is not a tensor or
 * array. */
static bool is_index(PyObject* object) {
  PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
  return number && number->nb_index && !TNP_IS_TENSOR(object) && !tnp_is_ndarray(object);
}
static bool is_real(PyObject* object) {
  PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
  return number && number->nb_float && !TNP_IS_TENSOR(object) && !tnp_is_ndarray(object);
}
static bool is_numpy_bool(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  return strcmp(name, "numpy.bool") == 0 || strcmp(name, "numpy.bool_") == 0;
}

/* Returns the element of a 0-dim tensor; NULL without an exception for other tensors. */
static PyObject* element_of(PyObject* tensor) {
  tenon_tensor* handle = tnp_tensor_get(tensor);
  if (handle == NULL || tenon_tensor_ndim(handle) != 0) return NULL;
  return PyObject_CallMethod(tensor, "item", NULL);
}

static int to_int(tnp_call* call, PyObject* object, int64_t* out) {
  PyObject* number = object;
  if (!PyLong_Check(object)) {
    if (!is_index(object)) return 1;
    call->normalised = true;
    number = PyNumber_Index(object);
    if (number == NULL) return PyErr_Clear(), 1;
  } else if (!PyLong_CheckExact(object)) {
    call->normalised = true;
  }
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (number != object) Py_DECREF(number);
  if (overflow != 0) {
    call->detail = "outside the range of int64";
    return 1;
  }
  if (value == -1 && PyErr_Occurred()) return -1;
  *out = value;
  return 0;
}

/* Returns true if a float equals an int. */
static bool is_exact(PyObject* number) {
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  double rounded = (double)value;
  return overflow == 0 && rounded < 9223372036854775808.0 && (long long)rounded == value;
}

static int to_float(tnp_call* call, PyObject* object, double* out) {
  if (PyFloat_CheckExact(object)) {
    *out = PyFloat_AS_DOUBLE(object);
    return 0;
  }
  if (!PyFloat_Check(object) && !PyLong_Check(object) && !is_real(object)) return 1;
  if (PyLong_Check(object) && !is_exact(object)) return 1;
  call->normalised = true;
  double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) return -1;
  *out = value;
  return 0;
}

/* Converts an int argument, or the element of a 0-dim integer tensor. */
static int argument_to_int(tnp_call* call, PyObject* object, int64_t* out) {
  if (TNP_LIKELY(!TNP_IS_TENSOR(object))) return to_int(call, object, out);
  PyObject* number = element_of(object);
  if (number == NULL) return PyErr_Occurred() ? -1 : 1;
  call->normalised = true;
  int result = PyLong_CheckExact(number) ? to_int(call, number, out) : 1;
  Py_DECREF(number);
  return result;
}

static int argument_to_float(tnp_call* call, PyObject* object, double* out) {
  if (TNP_LIKELY(!TNP_IS_TENSOR(object))) return to_float(call, object, out);
  PyObject* number = element_of(object);
  if (number == NULL) return PyErr_Occurred() ? -1 : 1;
  call->normalised = true;
  int result = to_float(call, number, out);
  Py_DECREF(number);
  return result;
}

static int to_bool(tnp_call* call, PyObject* object, int64_t* out) {
  if (object == Py_True || object == Py_False) {
    *out = object == Py_True;
    return 0;
  }
  if (!is_numpy_bool(object)) return 1;
  call->normalised = true;
  int truth = PyObject_IsTrue(object);
  *out = truth;
  return truth < 0 ? -1 : 0;
}

int tnp_to_scalar(tnp_call* call, PyObject* object, tenon_value* out) {
  int result;
  if (PyBool_Check(object) || is_numpy_bool(object)) {
    out->tag = TENON_TAG_BOOL;
    return to_bool(call, object, &out->as.i);
  }
  if ((result = to_int(call, object, &out->as.i)) != 1 || PyLong_Check(object) ||
      is_index(object)) {
    out->tag = TENON_TAG_INT;
    return result;
  }
  if (PyComplex_Check(object) ||
      (!is_real(object) && PyObject_HasAttrString(object, "__complex__") &&
       !TNP_IS_TENSOR(object) && !tnp_is_ndarray(object)) ||
      strncmp(Py_TYPE(object)->tp_name, "numpy.complex", 13) == 0) {
    Py_complex number = PyComplex_AsCComplex(object);
    if (number.real == -1.0 && PyErr_Occurred()) return -1;
    if (!PyComplex_CheckExact(object)) call->normalised = true;
    out->tag = TENON_TAG_COMPLEX;
    out->as.c.real = number.real;
    out->as.c.imag = number.imag;
    return 0;
  }
  if ((result = to_float(call, object, &out->as.f)) != 1) out->tag = TENON_TAG_FLOAT;
  return result;
}

static int set_tensor(tenon_value* out, tenon_tensor* tensor) {
  out->tag = TENON_TAG_TENSOR;
  out->as.tensor = tensor;
  return 0;
}

static int to_tensor(tnp_call* call, PyObject* object, tenon_value* out) {
  tenon_tensor* tensor = NULL;
  if (TNP_LIKELY(Py_TYPE(object) == tnp_ndarray_type)) {
    if (TNP_UNLIKELY(tnp_import_array(object, &tensor) != 0)) return -1;
  } else if (call->numbers &&
             (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object))) {
    tenon_value number = {0};
    int result = tnp_to_scalar(call, object, &number);
    if (result != 0) return result;
    if (tnp_check(tenon_tensor_new_number(&number, &tensor)) != 0) return -1;
  } else if (TNP_IS_TENSOR(object)) {
    tensor = tnp_tensor_get(object);
    return tensor ? set_tensor(out, tensor) : -1;
  } else {
    int found = tnp_import(object, &tensor, &call->detail);
    if (found <= 0) return found < 0 ? -1 : 1;
  }
  call->normalised = true;
  if (tnp_own(call, tensor, release_tensor) != 0) return -1;
  return set_tensor(out, tensor);
}

static int to_string(PyObject* object, tenon_value* out) {
  if (!PyUnicode_Check(object)) return 1;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == NULL) return -1;
  if ((uint64_t)size > UINT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "tenon: a string must be shorter than 4 GiB");
    return -1;
  }
  out->tag = TENON_TAG_STRING;
  out->count = (uint32_t)size;
  out->as.list.data = text;
  return 0;
}

static void release_symbol(void* handle) { tenon_symbol_release(handle); }

/* Converts an int of a list, or the word of a SymInt, which is kept alive for the call. Updates
 * `least`, the smallest int. */
static int to_word(tnp_call* call, PyObject* object, int64_t* out, tenon_value* list,
                   int64_t* least) {
  if (TNP_LIKELY(PyLong_CheckExact(object)) || !tnp_is_symbol(object)) {
    int result = to_int(call, object, out);
    if (result == 0 && *out < *least) *least = *out;
    return result;
  }
  tenon_value value;
  tnp_to_symbol(call, object, &value);
  if (value.tag != TENON_TAG_SYMINT) return 1;
  list->flags |= TENON_VALUE_HAS_SYMBOLIC;
  *out = tenon_dim_of_symbol(value.as.symbol);
  return tnp_own(call, tenon_symbol_retain(value.as.symbol), release_symbol);
}

static int to_list(tnp_call* call, const tnp_type* type, PyObject* object, tenon_value* out) {
  static const struct {
    uint16_t tag;
    uint16_t size;
  } kinds[] = {{TENON_TAG_INT_LIST, 8},
               {TENON_TAG_FLOAT_LIST, 8},
               {TENON_TAG_BOOL_LIST, 1},
               {TENON_TAG_TENSOR_LIST, 8},
               {TENON_TAG_LIST, sizeof(tenon_value)}};
  uint16_t kind = (uint16_t)(type->conv - TNP_CONV_INT_LIST);
  Py_ssize_t count, repeat = 1;
  bool single = false;
  if (PyList_Check(object) || PyTuple_Check(object)) {
    count = PySequence_Fast_GET_SIZE(object);
  } else if (type->list_size > 0 && (PyLong_Check(object) || PyFloat_Check(object))) {
    /* `int[2] stride` also accepts one number for both. */
    single = true;
    count = 1;
    repeat = type->list_size;
    call->normalised = true;
  } else if (kind != 3 && !PyUnicode_Check(object) && !PyBytes_Check(object) &&
             !PyDict_Check(object) && !TNP_IS_TENSOR(object) && PySequence_Check(object)) {
    /* Ranges, arrays of numbers and other sequences, including arrays of dtype object. */
    object = PySequence_List(object);
    if (object == NULL) {
      PyErr_Clear(); /* 0-dim arrays look like sequences but are not */
      return 1;
    }
    if (tnp_own(call, object, release_object) != 0) return -1;
    count = PySequence_Fast_GET_SIZE(object);
    call->normalised = true;
  } else {
    return 1;
  }
  if ((uint64_t)count * (uint64_t)repeat > UINT32_MAX) return 1;
  char* data = tnp_take_memory(call, (size_t)(count * repeat) * kinds[kind].size + 1);
  if (data == NULL) return -1;
  const tnp_type* element = type->elements;
  held* kept = NULL;
  int64_t least = 0;
  if (kind >= 3 && (kept = hold(call, object, count)) == NULL && PyErr_Occurred()) return -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    int result = 0;
    tenon_value value;
    int64_t truth;
    if (!single && TNP_UNLIKELY(PySequence_Fast_GET_SIZE(object) != count)) {
      call->detail = "a list that changes while it is read";
      return 1;
    }
    PyObject* item = single ? object : PySequence_Fast_GET_ITEM(object, i);
    if (kind >= 3) keep(kept, item);
    switch (kind) {
      case 0:
        result = to_word(call, item, (int64_t*)data + i, out, &least);
        break;
      case 1:
        result = to_float(call, item, (double*)data + i);
        break;
      case 2:
        result = to_bool(call, item, &truth);
        if (result == 0) ((uint8_t*)data)[i] = (uint8_t)truth;
        break;
      case 3:
        value.as.tensor = NULL;
        if (item == Py_None) {
          result = element->optional ? 0 : 1;
        } else {
          result = tnp_to_value(call, element, item, &value);
          if (result == 0 && value.tag == TENON_TAG_OBJECT) {
            result = tnp_carry_element(call, &value);
          }
        }
        if (result == 0) ((tenon_tensor**)data)[i] = value.as.tensor;
        break;
      default:
        result = tnp_to_value(call, element, item, (tenon_value*)data + i);
    }
    if (result != 0) return result;
  }
  if (TNP_UNLIKELY(tenon_dim_is_symbol(least)) && (out->flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
    call->detail = "a list of symbols and a number below -2^62";
    return 1;
  }
  for (Py_ssize_t i = 1; i < repeat; i++) {
    memcpy(data + (size_t)i * kinds[kind].size, data, kinds[kind].size);
  }
  out->tag = kinds[kind].tag;
  out->count = (uint32_t)(count * repeat);
  out->as.list.data = data;
  return 0;
}

static int to_tuple(tnp_call* call, const tnp_type* type, PyObject* object, tenon_value* out) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return 1;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  if (count != type->count) {
    call->detail = "a tuple of another length";
    return 1;
  }
  tenon_value* data = tnp_take_memory(call, (size_t)count * sizeof *data + 1);
  if (data == NULL) return -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    int result =
        tnp_to_value(call, &type->elements[i], PySequence_Fast_GET_ITEM(object, i), &data[i]);
    if (result != 0) return result;
  }
  out->tag = TENON_TAG_TUPLE;
  out->count = (uint32_t)count;
  out->as.list.data = data;
  return 0;
}

static int to_dict(tnp_call* call, const tnp_type* key_type, const tnp_type* value_type,
                   PyObject* object, tenon_value* out) {
  if (!PyDict_Check(object)) return 1;
  Py_ssize_t count = PyDict_GET_SIZE(object), position = 0, i = 0;
  tenon_value* data = tnp_take_memory(call, (size_t)count * 2 * sizeof *data + 1);
  held* kept = data ? hold(call, object, 2 * count) : NULL;
  if (kept == NULL) return -1;
  PyObject *key, *value;
  while (i < count && PyDict_Next(object, &position, &key, &value)) {
    keep(kept, key);
    keep(kept, value);
    int result = tnp_to_value(call, key_type, key, &data[2 * i]);
    if (result == 0) result = tnp_to_value(call, value_type, value, &data[2 * i + 1]);
    if (result != 0) return result;
    i++;
  }
  out->tag = TENON_TAG_DICT;
  out->count = (uint32_t)i;
  out->as.list.data = data;
  return 0;
}

static tnp_type tensor_type = {TNP_CONV_TENSOR, 0, 0, 0, -1, "Tensor", NULL};
static tnp_type any_type = {TNP_CONV_ANY, 1, 0, 0, -1, "Any", NULL};

static int to_generator(PyObject* object, tenon_value* out) {
  if (Py_TYPE(object) != tnp_generator_type) return 1;
  out->tag = TENON_TAG_GENERATOR;
  out->as.generator = tnp_generator_get(object);
  return 0;
}

/* Converts `Any` by the object's own type. Lists of one simple kind become typed lists. */
static int to_any(tnp_call* call, PyObject* object, tenon_value* out) {
  static tnp_type list_of[] = {{TNP_CONV_INT_LIST, 0, 0, 1, -1, "int[]", NULL},
                               {TNP_CONV_FLOAT_LIST, 0, 0, 1, -1, "float[]", NULL},
                               {TNP_CONV_BOOL_LIST, 0, 0, 1, -1, "bool[]", NULL},
                               {TNP_CONV_TENSOR_LIST, 0, 0, 1, -1, "Tensor[]", &tensor_type},
                               {TNP_CONV_LIST, 0, 0, 1, -1, "Any[]", &any_type}};
  PyTypeObject* python = Py_TYPE(object);
  if (object == Py_None) {
    out->tag = TENON_TAG_NONE;
    return 0;
  }
  if (TNP_IS_TENSOR(object) || tnp_is_ndarray(object)) return to_tensor(call, object, out);
  if (python == &PyBool_Type || python == &PyLong_Type || python == &PyFloat_Type ||
      python == &PyComplex_Type) {
    return tnp_to_scalar(call, object, out);
  }
  if (python == &PyUnicode_Type) return to_string(object, out);
  if (python == tnp_dtype_type || python == tnp_layout_type || python == tnp_memory_format_type) {
    out->tag = python == tnp_dtype_type    ? TENON_TAG_DTYPE
               : python == tnp_layout_type ? TENON_TAG_LAYOUT
                                           : TENON_TAG_MEMORY_FORMAT;
    out->as.i = ((tnp_constant*)object)->code;
    return 0;
  }
  if (python == tnp_device_type) {
    out->tag = TENON_TAG_DEVICE;
    out->as.device = ((tnp_device*)object)->device;
    return 0;
  }
  if (python == tnp_generator_type) return to_generator(object, out);
  if (python == &PyList_Type) {
    Py_ssize_t count = PyList_GET_SIZE(object);
    int kind = 4;
    for (Py_ssize_t i = 0; i < count; i++) {
      PyTypeObject* item = Py_TYPE(PyList_GET_ITEM(object, i));
      int one = item == &PyLong_Type      ? 0
                : item == &PyFloat_Type   ? 1
                : item == &PyBool_Type    ? 2
                : item == tnp_tensor_type ? 3
                                          : 4;
      if (i == 0) kind = one;
      if (one != kind) kind = 4;
    }
    return to_list(call, &list_of[kind], object, out);
  }
  if (python == &PyTuple_Type) {
    Py_ssize_t count = PyTuple_GET_SIZE(object);
    tenon_value* data = tnp_take_memory(call, (size_t)count * sizeof *data + 1);
    if (data == NULL) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
      int result = tnp_to_value(call, &any_type, PyTuple_GET_ITEM(object, i), &data[i]);
      if (result != 0) return result;
    }
    out->tag = TENON_TAG_TUPLE;
    out->count = (uint32_t)count;
    out->as.list.data = data;
    return 0;
  }
  if (python == &PyDict_Type) return to_dict(call, &any_type, &any_type, object, out);
  /* Python functions and C callables become functions; an instance with __call__ is an object. */
  const bool is_function = PyVectorcall_Function(object) != NULL && !PyType_Check(object);
  return tnp_to_object(call, object, is_function ? TENON_TAG_FUNCTION : TENON_TAG_OBJECT, out);
}

static int to_constant(PyObject* object, PyTypeObject* type, uint16_t tag, tenon_value* out) {
  if (Py_TYPE(object) != type) return 1;
  out->tag = tag;
  out->as.i = ((tnp_constant*)object)->code;
  return 0;
}

int tnp_to_any(tnp_call* call, PyObject* object, tenon_value* out) {
  return tnp_to_value(call, &any_type, object, out);
}

int tnp_to_owned(PyObject* object, tenon_value* out) {
  tnp_call call;
  tnp_call_begin(&call, false);
  tenon_value value;
  int result = tnp_to_any(&call, object, &value);
  if (result > 0) {
    char actual[160];
    tnp_describe(object, actual, sizeof actual);
    tnp_raise_format(TENON_ERROR_TYPE, "result: must be a value, got %s%s%s%s", actual,
                     call.detail ? " (" : "", call.detail ? call.detail : "",
                     call.detail ? ")" : "");
    result = -1;
  }
  if (result == 0) result = tnp_check(tenon_value_copy(&value, out));
  tnp_call_end(&call);
  return result;
}

int tnp_to_value_slow(tnp_call* call, const tnp_type* type, PyObject* object, tenon_value* out) {
  memset(out, 0, sizeof *out);
  if (tnp_overrides(object) && (call->overrides != TNP_OVERRIDES_STAY || !TNP_IS_TENSOR(object))) {
    return tnp_to_overriding(call, object, out);
  }
  if (object == Py_None) {
    return type->optional || type->conv == TNP_CONV_NONE || type->conv == TNP_CONV_ANY ? 0 : 1;
  }
  int found;
  if (TNP_UNLIKELY(tnp_is_symbol(object)) &&
      (type->conv == TNP_CONV_INT || type->conv == TNP_CONV_FLOAT || type->conv == TNP_CONV_BOOL ||
       type->conv == TNP_CONV_SCALAR || type->conv == TNP_CONV_ANY)) {
    return tnp_to_symbol(call, object, out);
  }
  switch (type->conv) {
    case TNP_CONV_TENSOR:
      return to_tensor(call, object, out);
    case TNP_CONV_INT:
      out->tag = TENON_TAG_INT;
      return argument_to_int(call, object, &out->as.i);
    case TNP_CONV_FLOAT:
      out->tag = TENON_TAG_FLOAT;
      return argument_to_float(call, object, &out->as.f);
    case TNP_CONV_BOOL:
      out->tag = TENON_TAG_BOOL;
      return to_bool(call, object, &out->as.i);
    case TNP_CONV_SCALAR:
      return tnp_to_scalar(call, object, out);
    case TNP_CONV_COMPLEX:
      found = tnp_to_scalar(call, object, out);
      if (found == 0 && out->tag != TENON_TAG_COMPLEX) {
        call->normalised = true;
        double real = out->tag == TENON_TAG_FLOAT ? out->as.f : (double)out->as.i;
        out->tag = TENON_TAG_COMPLEX;
        out->as.c.real = real;
        out->as.c.imag = 0.0;
      }
      return found;
    case TNP_CONV_STRING:
      return to_string(object, out);
    case TNP_CONV_DTYPE: {
      tenon_dtype dtype = 0;
      found = tnp_to_dtype(object, &dtype);
      if (found <= 0) return found < 0 ? -1 : 1;
      if (Py_TYPE(object) != tnp_dtype_type) call->normalised = true;
      out->tag = TENON_TAG_DTYPE;
      out->as.i = dtype;
      return 0;
    }
    case TNP_CONV_LAYOUT:
      return to_constant(object, tnp_layout_type, TENON_TAG_LAYOUT, out);
    case TNP_CONV_MEMORY_FORMAT:
      return to_constant(object, tnp_memory_format_type, TENON_TAG_MEMORY_FORMAT, out);
    case TNP_CONV_DEVICE:
      found = tnp_to_device(object, &out->as.device);
      if (found <= 0) return found < 0 ? -1 : 1;
      if (Py_TYPE(object) != tnp_device_type) call->normalised = true;
      out->tag = TENON_TAG_DEVICE;
      return 0;
    case TNP_CONV_STREAM:
      /* (device, handle), the form in which results return streams. */
      if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2) return 1;
      found = tnp_to_device(PyTuple_GET_ITEM(object, 0), &out->as.stream.device);
      if (found <= 0) return found < 0 ? -1 : 1;
      out->as.stream.handle = PyLong_AsVoidPtr(PyTuple_GET_ITEM(object, 1));
      if (PyErr_Occurred()) return PyErr_Clear(), 1;
      out->tag = TENON_TAG_STREAM;
      return 0;
    case TNP_CONV_GENERATOR:
      return to_generator(object, out);
    case TNP_CONV_NONE:
      return 1;
    case TNP_CONV_ANY:
      /* Only here is the depth not bounded by the schema, and a list may contain itself. */
      if (Py_EnterRecursiveCall(" while an argument was converted") != 0) return -1;
      found = to_any(call, object, out);
      Py_LeaveRecursiveCall();
      return found;
    case TNP_CONV_CLASS:
      if (!tnp_class_matches(type->text, object)) return 1;
      return tnp_to_object(call, object, TENON_TAG_OBJECT, out);
    case TNP_CONV_FUNCTION:
      if (!PyCallable_Check(object) && !tnp_is_foreign(object)) return 1;
      return tnp_to_object(call, object, TENON_TAG_FUNCTION, out);
    case TNP_CONV_INT_LIST:
    case TNP_CONV_FLOAT_LIST:
    case TNP_CONV_BOOL_LIST:
    case TNP_CONV_TENSOR_LIST:
    case TNP_CONV_LIST:
      return to_list(call, type, object, out);
    case TNP_CONV_TUPLE:
      return to_tuple(call, type, object, out);
    case TNP_CONV_DICT:
      return to_dict(call, &type->elements[0], &type->elements[1], object, out);
    case TNP_CONV_UNION:
      for (uint32_t i = 0; i < type->count; i++) {
        found = tnp_to_value(call, &type->elements[i], object, out);
        if (found <= 0) return found;
      }
      return 1;
    default:
      call->detail = "a value; Tenon does not carry this type";
      return 1;
  }
}
