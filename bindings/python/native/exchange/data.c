/* SPDX-License-Identifier: Apache-2.0 */
/* Element access: item, tolist, and tensors from nested sequences of numbers. */
#include "exchange.h"

static tnp_op_cache op_item = {"aten::_local_scalar_dense", NULL};
static tnp_op_cache op_to_copy = {"aten::_to_copy", NULL};

/* Returns the only element of a uint64 tensor. It is read by tolist(), because the numbers that
 * operators return are int64. */
static PyObject* unsigned_scalar(PyObject* self) {
  PyObject* item = tnp_tensor_tolist(self, NULL);
  while (item != NULL && PyList_Check(item)) Py_SETREF(item, Py_NewRef(PyList_GET_ITEM(item, 0)));
  return item;
}

PyObject* tnp_tensor_scalar(PyObject* self, const char* caller) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  if (tenon_tensor_numel(tensor) != 1) {
    return tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                            "%s: tensor must have exactly one element, got %lld", caller,
                            (long long)tenon_tensor_numel(tensor));
  }
  if (tenon_tensor_dtype(tensor) == TENON_DTYPE_U64) return unsigned_scalar(self);
  PyObject* op = tnp_cached_op(&op_item);
  return op ? ((tnp_op*)op)->vectorcall(op, &self, 1, NULL) : NULL;
}

/* ---- tolist ---------------------------------------------------------------------------------- */

static PyObject* element(const char* data, tenon_dtype dtype) {
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      return PyBool_FromLong(*(const uint8_t*)data);
    case TENON_DTYPE_U8:
      return PyLong_FromLong(*(const uint8_t*)data);
    case TENON_DTYPE_I8:
      return PyLong_FromLong(*(const int8_t*)data);
    case TENON_DTYPE_I16:
      return PyLong_FromLong(*(const int16_t*)data);
    case TENON_DTYPE_I32:
      return PyLong_FromLong(*(const int32_t*)data);
    case TENON_DTYPE_I64:
      return PyLong_FromLongLong(*(const int64_t*)data);
    case TENON_DTYPE_U16:
      return PyLong_FromLong(*(const uint16_t*)data);
    case TENON_DTYPE_U32:
      return PyLong_FromUnsignedLong(*(const uint32_t*)data);
    case TENON_DTYPE_U64:
      return PyLong_FromUnsignedLongLong(*(const uint64_t*)data);
    case TENON_DTYPE_F32:
      return PyFloat_FromDouble(*(const float*)data);
    case TENON_DTYPE_F64:
      return PyFloat_FromDouble(*(const double*)data);
    case TENON_DTYPE_C64:
      return PyComplex_FromDoubles(((const float*)data)[0], ((const float*)data)[1]);
    case TENON_DTYPE_C128:
      return PyComplex_FromDoubles(((const double*)data)[0], ((const double*)data)[1]);
    default:
      PyErr_SetString(PyExc_SystemError, "tolist: unexpected dtype");
      return NULL;
  }
}

static PyObject* nested(const tenon_tensor_info* info, int32_t dim, const char* data,
                        int64_t size) {
  if (dim == info->ndim) return element(data, info->dtype);
  PyObject* list = PyList_New((Py_ssize_t)info->sizes[dim]);
  for (int64_t i = 0; list != NULL && i < info->sizes[dim]; i++) {
    PyObject* item = nested(info, dim + 1, data + i * info->strides[dim] * size, size);
    if (item == NULL)
      Py_CLEAR(list);
    else
      PyList_SET_ITEM(list, (Py_ssize_t)i, item);
  }
  return list;
}

static bool is_readable(tenon_dtype dtype) {
  return dtype == TENON_DTYPE_BOOL || (dtype >= TENON_DTYPE_U8 && dtype <= TENON_DTYPE_I64) ||
         (dtype >= TENON_DTYPE_U16 && dtype <= TENON_DTYPE_U64) || dtype == TENON_DTYPE_F32 ||
         dtype == TENON_DTYPE_F64 || dtype == TENON_DTYPE_C64 || dtype == TENON_DTYPE_C128;
}

static tenon_dtype readable_dtype(tenon_dtype dtype) {
  if (is_readable(dtype)) return dtype;
  return dtype == TENON_DTYPE_C32 ? TENON_DTYPE_C64 : TENON_DTYPE_F32;
}

PyObject* tnp_tensor_tolist(PyObject* self, PyObject* unused) {
  (void)unused;
  tenon_tensor_info info;
  if (tnp_tensor_info(self, &info) != 0) return NULL;
  if ((info.flags & TENON_TENSOR_HOLLOW) != 0) {
    /* A tensor of a grad or jvp layer: read the elements of the underlying plain tensor. */
    tenon_tensor* plain = NULL;
    if (tnp_check(tenon_tensor_copy_plain(tnp_tensor_get(self), &plain)) != 0) return NULL;
    PyObject* object = tnp_tensor_wrap(plain);
    PyObject* list = object == NULL || object == self ? NULL : tnp_tensor_tolist(object, NULL);
    Py_XDECREF(object);
    if (list != NULL || PyErr_Occurred()) return list;
  }
  PyObject* source = self;
  Py_INCREF(source);
  if (info.device.type != TENON_DEVICE_CPU || !is_readable(info.dtype)) {
    /* Copies from other devices, converts small floats to float32 and complex32 to complex64. */
    static PyObject* names;
    if (names == NULL && (names = Py_BuildValue("(ss)", "dtype", "device")) == NULL) return NULL;
    tenon_device cpu = {TENON_DEVICE_CPU, -1};
    PyObject* dtype = tnp_dtype_object(readable_dtype(info.dtype));
    PyObject* device = tnp_device_object(cpu);
    PyObject* op = tnp_cached_op(&op_to_copy);
    PyObject* args[4] = {NULL, self, dtype, device};
    Py_DECREF(source);
    source =
        op && dtype && device
            ? ((tnp_op*)op)->vectorcall(op, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, names)
            : NULL;
    Py_XDECREF(dtype);
    Py_XDECREF(device);
    if (source == NULL) return NULL;
    if (tnp_tensor_info(source, &info) != 0) {
      Py_DECREF(source);
      return NULL;
    }
  }
  if (info.flags & TENON_TENSOR_HOLLOW) {
    Py_DECREF(source);
    return tnp_raise_format(TENON_ERROR_STATE,
                            "Tensor.tolist: tensor must have memory, got one that stands for "
                            "something else");
  }
  int64_t dims[2 * TENON_TENSOR_MAX_DIMS];
  if (tnp_tensor_snapshot(source, &info, dims) != 0) {
    Py_DECREF(source);
    return NULL;
  }
  void* data = NULL;
  PyObject* result = NULL;
  if (info.numel == 0 || tnp_check(tenon_tensor_data(tnp_tensor_get(source), &data)) == 0) {
    result = nested(&info, 0, data, tenon_dtype_size(info.dtype));
  }
  Py_DECREF(source);
  return result;
}

/* ---- From nested sequences ------------------------------------------------------------------- */

typedef struct {
  int64_t sizes[TENON_TENSOR_MAX_DIMS];
  int32_t ndim;
  int kind;          /* 0 bool, 1 int, 2 float, 3 complex; -1 if no element seen */
  tenon_dtype typed; /* promoted dtype of elements with a dtype, or NONE */
} shape;

/* Returns the items of a sequence as a list or tuple, a new reference; NULL without an exception if
 * the object is not a sequence. Ranges and arrays are sequences. */
static PyObject* items_of(PyObject* object) {
  if (TNP_LIKELY(PyList_Check(object) || PyTuple_Check(object))) return Py_NewRef(object);
  const bool is_range = PyRange_Check(object);
  if (!is_range && (!tnp_is_ndarray(object) || tnp_ndarray_ndim(object) == 0)) return NULL;
  return PySequence_List(object);
}

static int not_a_number(PyObject* object) {
  char text[160];
  tnp_describe(object, text, sizeof text);
  tnp_raise_format(TENON_ERROR_TYPE,
                   "tensor: data must be numbers or nested lists of numbers, got %s", text);
  return -1;
}

/* Reads Python's own numbers, which most data consists of. */
static inline bool read_plain_number(PyObject* object, tenon_value* out) {
  *out = (tenon_value){0};
  if (PyFloat_CheckExact(object)) {
    out->tag = TENON_TAG_FLOAT;
    out->as.f = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyLong_CheckExact(object)) {
    int overflow;
    out->tag = TENON_TAG_INT;
    out->as.i = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
  }
  out->tag = TENON_TAG_BOOL;
  out->as.i = object == Py_True;
  return object == Py_True || object == Py_False;
}

#define UINT64_LIMIT 18446744073709551616.0

/* Reads an int outside the range of int64 as a float. Stores the int itself in `out_big` if it fits
 * uint64, the only dtype that can hold it; otherwise stores 1. */
static int read_big(PyObject* number, tenon_value* out, uint64_t* out_big) {
  PyObject* whole = PyNumber_Index(number);
  if (whole == NULL) return -1;
  out->tag = TENON_TAG_FLOAT;
  out->as.f = PyLong_AsDouble(whole);
  *out_big = 1;
  if (out->as.f > 0.0 && out->as.f <= UINT64_LIMIT) {
    *out_big = PyLong_AsUnsignedLongLong(whole);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      *out_big = 1;
    }
  }
  Py_DECREF(whole);
  return out->as.f == -1.0 && PyErr_Occurred() ? -1 : 0;
}

/* Reads a number, or the element of a one-element tensor. Sets `out_big` as read_big()
 * does, and to 0 for all other numbers. */
static int read_number(PyObject* object, tenon_value* out, uint64_t* out_big) {
  *out_big = 0;
  if (TNP_LIKELY(read_plain_number(object, out))) return 0;
  tnp_call call;
  tnp_call_begin(&call, false);
  PyObject* number = object;
  Py_INCREF(number);
  if (TNP_IS_TENSOR(object) || tnp_is_ndarray(object)) {
    Py_SETREF(number, PyObject_CallMethod(object, "item", NULL));
    if (number == NULL) return -1;
  }
  memset(out, 0, sizeof *out);
  int result = tnp_to_scalar(&call, number, out);
  if (result > 0 && PyIndex_Check(number)) result = read_big(number, out, out_big);
  tnp_call_end(&call);
  Py_DECREF(number);
  return result > 0 ? not_a_number(object) : result;
}

static int measure(PyObject* data, shape* s) {
  s->ndim = 0;
  s->kind = -1;
  s->typed = TENON_DTYPE_NONE;
  PyObject* level = items_of(data);
  while (level != NULL) {
    if (s->ndim == TENON_TENSOR_MAX_DIMS) {
      Py_DECREF(level);
      tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                       "tensor: data must be nested at most %d deep, "
                       "got more",
                       TENON_TENSOR_MAX_DIMS);
      return -1;
    }
    s->sizes[s->ndim++] = PySequence_Fast_GET_SIZE(level);
    if (PySequence_Fast_GET_SIZE(level) == 0) break;
    PyObject* first = items_of(PySequence_Fast_GET_ITEM(level, 0));
    Py_SETREF(level, first);
  }
  Py_XDECREF(level);
  return PyErr_Occurred() ? -1 : 0;
}

/* Visits all numbers in row-major order: determines their dtype if `data` is NULL, otherwise stores
 * them. */
static int walk_items(PyObject* object, PyObject* items, shape* s, int32_t dim, tenon_dtype dtype,
                      char** data);

static int store(const tenon_value* v, uint64_t big, tenon_dtype dtype, char* out) {
  if (TNP_LIKELY(v->tag == TENON_TAG_FLOAT && dtype == TENON_DTYPE_F32)) {
    *(float*)out = (float)v->as.f;
    return 0;
  }
  double real = v->tag == TENON_TAG_FLOAT     ? v->as.f
                : v->tag == TENON_TAG_COMPLEX ? v->as.c.real
                                              : (double)v->as.i;
  double imag = v->tag == TENON_TAG_COMPLEX ? v->as.c.imag : 0.0;
  uint32_t traits = tenon_dtype_traits(dtype);
  if (imag != 0.0 && !(traits & TENON_DTYPE_IS_COMPLEX)) {
    tnp_raise_format(TENON_ERROR_TYPE, "tensor: data must be real for dtype %s, got complex",
                     tenon_dtype_name(dtype));
    return -1;
  }
  int64_t integer = v->as.i;
  bool whole = v->tag == TENON_TAG_INT || v->tag == TENON_TAG_BOOL;
  bool fits = true;
  if (!whole && (traits & TENON_DTYPE_IS_INTEGRAL)) {
    fits = big == 0 && real >= -9223372036854775808.0 && real < 9223372036854775808.0;
    integer = fits ? (int64_t)real : 0;
  }
  switch (dtype) {
    case TENON_DTYPE_BOOL:
      *(uint8_t*)out = whole ? integer != 0 : real != 0.0 || imag != 0.0;
      break;
    /* As in PyTorch, negative numbers wrap around in uint8. */
    case TENON_DTYPE_U8:
      fits = fits && integer >= -255 && integer <= 255;
      *(uint8_t*)out = (uint8_t)integer;
      break;
    case TENON_DTYPE_I8:
      fits = fits && integer == (int8_t)integer;
      *(int8_t*)out = (int8_t)integer;
      break;
    case TENON_DTYPE_I16:
      fits = fits && integer == (int16_t)integer;
      *(int16_t*)out = (int16_t)integer;
      break;
    case TENON_DTYPE_I32:
      fits = fits && integer == (int32_t)integer;
      *(int32_t*)out = (int32_t)integer;
      break;
    case TENON_DTYPE_I64:
      *(int64_t*)out = integer;
      break;
    case TENON_DTYPE_U16:
      fits = fits && integer >= -65535 && integer <= 65535;
      *(uint16_t*)out = (uint16_t)integer;
      break;
    case TENON_DTYPE_U32:
      fits = fits && integer >= -4294967295 && integer <= 4294967295;
      *(uint32_t*)out = (uint32_t)integer;
      break;
    case TENON_DTYPE_U64:
      fits = big > 1 || (fits && integer >= 0);
      *(uint64_t*)out = big > 1 ? big : (uint64_t)integer;
      break;
    case TENON_DTYPE_F32:
      *(float*)out = (float)real;
      break;
    case TENON_DTYPE_F64:
      *(double*)out = real;
      break;
    case TENON_DTYPE_C64:
      ((float*)out)[0] = (float)real;
      ((float*)out)[1] = (float)imag;
      break;
    case TENON_DTYPE_C128:
      ((double*)out)[0] = real;
      ((double*)out)[1] = imag;
      break;
    default:
      tnp_raise_format(TENON_ERROR_NOT_SUPPORTED,
                       "tensor_from_data: dtype must be readable from "
                       "numbers, got %s",
                       tenon_dtype_name(dtype));
      return -1;
  }
  if (!fits) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT, "tensor: data must fit dtype %s, got %s",
                     tenon_dtype_name(dtype), "a number outside its range");
    return -1;
  }
  return 0;
}

/* Adds the dtype of a numpy scalar or tensor; all such dtypes are promoted together. */
static int add_dtype(PyObject* object, shape* s) {
  tenon_dtype dtype;
  if (TNP_IS_TENSOR(object)) {
    const tenon_tensor* tensor = tnp_tensor_get(object);
    if (tensor == NULL) return -1;
    dtype = tenon_tensor_dtype(tensor);
  } else if (tnp_is_numpy_scalar(object)) {
    if (tnp_numpy_scalar_dtype(object, &dtype) != 0) return -1;
  } else {
    return 0;
  }
  if (s->typed == TENON_DTYPE_NONE) {
    s->typed = dtype;
    return 1;
  }
  return tnp_check(tenon_dtype_promote(s->typed, dtype, &s->typed)) == 0 ? 1 : -1;
}

static int find_kind(PyObject* object, shape* s) {
  tenon_value number;
  uint64_t big;
  if (read_number(object, &number, &big) != 0) return -1;
  if (TNP_UNLIKELY(!PyLong_CheckExact(object) && !PyFloat_CheckExact(object))) {
    const int has_dtype = add_dtype(object, s);
    if (has_dtype != 0) return has_dtype < 0 ? -1 : 0;
  }
  const int kind = number.tag == TENON_TAG_BOOL              ? 0
                   : number.tag == TENON_TAG_INT || big != 0 ? 1
                   : number.tag == TENON_TAG_FLOAT           ? 2
                                                             : 3;
  if (kind > s->kind) s->kind = kind;
  return 0;
}

/* Determines the common dtype of typed elements and Python numbers. */
static int find_dtype(const shape* s, tenon_dtype* out) {
  const tenon_dtype floating = tenon_dtype_default();
  const tenon_dtype complex = floating == TENON_DTYPE_F64   ? TENON_DTYPE_C128
                              : floating == TENON_DTYPE_F16 ? TENON_DTYPE_C32
                                                            : TENON_DTYPE_C64;
  *out = s->kind == 0   ? TENON_DTYPE_BOOL
         : s->kind == 1 ? TENON_DTYPE_I64
         : s->kind == 3 ? complex
                        : floating;
  if (TNP_LIKELY(s->typed == TENON_DTYPE_NONE)) return 0;
  if (s->kind < 0) {
    *out = s->typed;
    return 0;
  }
  return tnp_check(tenon_dtype_promote(s->typed, *out, out));
}

static int walk(PyObject* object, shape* s, int32_t dim, tenon_dtype dtype, char** data) {
  PyObject* items = items_of(object);
  if (items == NULL && PyErr_Occurred()) return -1;
  const int result = walk_items(object, items, s, dim, dtype, data);
  Py_XDECREF(items);
  return result;
}

/* Walks an object whose items are `items`; NULL for a number. */
static int walk_items(PyObject* object, PyObject* items, shape* s, int32_t dim, tenon_dtype dtype,
                      char** data) {
  if (dim == s->ndim) {
    tenon_value number;
    if (items != NULL) {
      tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                       "tensor: data must have lists of equal length at dim %d, got a list where "
                       "others have a number",
                       dim);
      return -1;
    }
    if (data == NULL) return find_kind(object, s);
    uint64_t big;
    if (read_number(object, &number, &big) != 0) return -1;
    if (store(&number, big, dtype, *data) != 0) return -1;
    *data += tenon_dtype_size(dtype);
    return 0;
  }
  if (items == NULL || PySequence_Fast_GET_SIZE(items) != s->sizes[dim]) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "tensor: data must have lists of equal length at dim %d, got %zd where others "
                     "have %lld",
                     dim, items ? PySequence_Fast_GET_SIZE(items) : (Py_ssize_t)0,
                     (long long)s->sizes[dim]);
    return -1;
  }
  for (int64_t i = 0; i < s->sizes[dim]; i++) {
    if (PySequence_Fast_GET_SIZE(items) != s->sizes[dim]) {
      tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                       "tensor: data must stay while it is read, got a "
                       "list that changed");
      return -1;
    }
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    Py_INCREF(item);
    int result = walk(item, s, dim + 1, dtype, data);
    Py_DECREF(item);
    if (result != 0) return -1;
  }
  return 0;
}

PyObject* tnp_tensor_from_data(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  if (nargs != 2) {
    return tnp_raise_format(TENON_ERROR_TYPE, "tensor_from_data: arguments must be 2, got %zd",
                            nargs);
  }
  shape s;
  if (measure(args[0], &s) != 0 || walk(args[0], &s, 0, 0, NULL) != 0) return NULL;
  tenon_dtype dtype;
  if (args[1] == Py_None) {
    if (find_dtype(&s, &dtype) != 0) return NULL;
  } else if (tnp_to_dtype(args[1], &dtype) != 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "tensor: dtype must be a dtype, got %s",
                            Py_TYPE(args[1])->tp_name);
  }
  /* Small floats are filled as float32, and complex32 as complex64, and rounded once, by the cast
   * operator. */
  tenon_dtype filled = readable_dtype(dtype);
  tenon_tensor* tensor;
  if (tnp_check(tenon_tensor_new(filled, NULL, s.ndim, s.sizes, NULL, &tensor)) != 0) return NULL;
  PyObject* result = tnp_tensor_wrap(tensor);
  void* start = NULL;
  if (result == NULL) return NULL;
  if (tenon_tensor_numel(tensor) > 0 && tnp_check(tenon_tensor_data(tensor, &start)) != 0) {
    Py_DECREF(result);
    return NULL;
  }
  char* data = start;
  if (walk(args[0], &s, 0, filled, &data) != 0) {
    Py_DECREF(result);
    return NULL;
  }
  if (filled != dtype) {
    static PyObject* names;
    if (names == NULL && (names = Py_BuildValue("(s)", "dtype")) == NULL) return NULL;
    PyObject* op = tnp_cached_op(&op_to_copy);
    PyObject* object = tnp_dtype_object(dtype);
    PyObject* vector[3] = {NULL, result, object};
    PyObject* cast =
        op && object
            ? ((tnp_op*)op)->vectorcall(op, vector + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, names)
            : NULL;
    Py_XDECREF(object);
    Py_SETREF(result, cast);
  }
  return result;
}
