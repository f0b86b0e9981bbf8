/* SPDX-License-Identifier: Apache-2.0 */
/* numpy arrays, read through their struct: wraps their memory without a Python call. */
#include "exchange.h"

/* The stable leading fields of numpy's array and dtype structs, the same in numpy 1.x and 2.x. */
typedef struct {
  PyObject_HEAD char* data;
  int nd;
  Py_ssize_t* dimensions;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
} array_head;

typedef struct {
  PyObject_HEAD PyTypeObject* typeobj;
  char kind;
  char type;
  char byteorder;
  char flags;
  int type_num;
} descr_head;

#define NUMPY_C_CONTIGUOUS 0x0001
#define NUMPY_WRITEABLE 0x0400

PyTypeObject* tnp_ndarray_type;
static bool ndarray_refused; /* numpy has an unknown ABI: use the buffer protocol */

static const int8_t numpy_dtypes[] = {TENON_DTYPE_BOOL,
                                      TENON_DTYPE_I8,
                                      TENON_DTYPE_U8,
                                      TENON_DTYPE_I16,
                                      TENON_DTYPE_U16,
                                      TENON_DTYPE_I32,
                                      TENON_DTYPE_U32,
                                      sizeof(long) == 8 ? TENON_DTYPE_I64 : TENON_DTYPE_I32,
                                      sizeof(long) == 8 ? TENON_DTYPE_U64 : TENON_DTYPE_U32,
                                      TENON_DTYPE_I64,
                                      TENON_DTYPE_U64,
                                      TENON_DTYPE_F32,
                                      TENON_DTYPE_F64,
                                      TENON_DTYPE_NONE /* long double */,
                                      TENON_DTYPE_C64,
                                      TENON_DTYPE_C128};
#define NUMPY_HALF 23

static bool know_numpy(PyTypeObject* candidate) {
  const char* names[] = {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"};
  for (int i = 0; i < 2; i++) {
    PyObject* module = PyImport_ImportModule(names[i]);
    PyObject* capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    Py_XDECREF(module);
    void** api = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    Py_XDECREF(capsule);
    if (api == NULL) {
      PyErr_Clear();
      continue;
    }
    /* Slot 0 returns the ABI version, slot 2 is the array type, in all versions since numpy 1.0. */
    unsigned version = ((unsigned (*)(void))api[0])();
    if ((version >> 24 == 1 || version >> 24 == 2) && (PyTypeObject*)api[2] == candidate) {
      tnp_ndarray_type = candidate;
      return true;
    }
    break;
  }
  ndarray_refused = true;
  return false;
}

bool tnp_is_ndarray(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (TNP_LIKELY(tnp_ndarray_type != NULL)) {
    return type == tnp_ndarray_type || PyType_IsSubtype(type, tnp_ndarray_type);
  }
  if (ndarray_refused) return false;
  for (; type != NULL && type != &PyBaseObject_Type; type = type->tp_base) {
    if (strcmp(type->tp_name, "numpy.ndarray") == 0) return know_numpy(type);
  }
  return false;
}

int tnp_ndarray_ndim(PyObject* array) { return ((const array_head*)array)->nd; }

/* ---- Wrapping an array's memory -------------------------------------------------------------- */

/* Keeps a writable array alive. Owners are recycled, because every call with arrays needs some. */
typedef struct array_owner {
  tnp_garbage garbage;
  PyObject* array; /* owned */
} array_owner;

#define FREE_MAX 32
static array_owner* free_list[FREE_MAX]; /* under the GIL */
static int free_count;

static void owner_run(tnp_garbage* garbage) {
  array_owner* self = (array_owner*)garbage;
  PyObject* array = self->array;
  if (TNP_LIKELY(free_count < FREE_MAX)) {
    free_list[free_count++] = self;
  } else {
    PyMem_RawFree(self);
  }
  Py_DECREF(array);
}
static void owner_drop(void* self) { tnp_discard(&((array_owner*)self)->garbage); }

static int cannot_import(const array_head* array, int dtype) {
  if (dtype == TENON_DTYPE_NONE) {
    const bool swapped = ((const descr_head*)array->descr)->byteorder == '>';
    tnp_raise_format(swapped ? TENON_ERROR_INVALID_ARGUMENT : TENON_ERROR_TYPE,
                     "from_numpy: array must be of a dtype that Tenon has, in native byte order, "
                     "got %S",
                     array->descr);
  } else if (array->nd > TENON_TENSOR_MAX_DIMS) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "from_numpy: array must have at most %d dims, got %d", TENON_TENSOR_MAX_DIMS,
                     array->nd);
  } else {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "from_numpy: array must have strides of whole elements that are not negative, "
                     "got others; array.copy() has");
  }
  return -1;
}

static int dtype_of_descr(const descr_head* descr) {
  int number = descr->type_num;
  if (TNP_UNLIKELY(descr->byteorder == '>')) return TENON_DTYPE_NONE;
  if (TNP_LIKELY((unsigned)number < sizeof numpy_dtypes)) return numpy_dtypes[number];
  return number == NUMPY_HALF ? TENON_DTYPE_F16 : TENON_DTYPE_NONE;
}

static int dtype_of(const array_head* array) {
  return dtype_of_descr((const descr_head*)array->descr);
}

int tnp_numpy_scalar_dtype(PyObject* scalar, tenon_dtype* out) {
  PyObject* descr = PyObject_GetAttrString(scalar, "dtype");
  if (descr == NULL) return -1;
  int dtype = dtype_of_descr((const descr_head*)descr);
  if (dtype == TENON_DTYPE_NONE) {
    tnp_raise_format(TENON_ERROR_TYPE,
                     "tensor: data must be of a dtype that Tenon has, got a scalar of %S", descr);
  }
  Py_DECREF(descr);
  *out = (tenon_dtype)dtype;
  return dtype == TENON_DTYPE_NONE ? -1 : 0;
}

int tnp_import_array(PyObject* object, tenon_tensor** out) {
  const array_head* array = (const array_head*)object;
  int dtype = dtype_of(array);
  if (TNP_UNLIKELY(dtype == TENON_DTYPE_NONE || array->nd > TENON_TENSOR_MAX_DIMS)) {
    return cannot_import(array, dtype);
  }
  _Static_assert(sizeof *array->dimensions == sizeof(int64_t), "numpy's sizes are ours");
  const int64_t* sizes = (const int64_t*)array->dimensions;
  bool plain = (array->flags & NUMPY_C_CONTIGUOUS) != 0;
  bool writable = (array->flags & NUMPY_WRITEABLE) != 0;
  int64_t same[TENON_TENSOR_MAX_DIMS], strides[TENON_TENSOR_MAX_DIMS];
  if (TNP_UNLIKELY(!plain || !writable) &&
      !tnp_to_elements(array->nd, array->dimensions, array->strides, tenon_dtype_size(dtype), same,
                       strides)) {
    return cannot_import(array, dtype);
  }
  if (TNP_UNLIKELY(!writable)) {
    tnp_memory memory = {array->data, dtype, array->nd, sizes, strides, false};
    return tnp_wrap_memory(&memory, object, NULL, out);
  }
  array_owner* self;
  if (TNP_LIKELY(free_count > 0)) {
    self = free_list[--free_count];
  } else if ((self = PyMem_RawMalloc(sizeof *self)) == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  self->garbage.run = owner_run;
  Py_INCREF(object);
  self->array = object;
  return tnp_check(tenon_tensor_wrap(array->data, dtype, NULL, array->nd, sizes,
                                     plain ? NULL : strides, self, owner_drop, out));
}

PyObject* tnp_from_numpy(PyObject* module, PyObject* array) {
  (void)module;
  tenon_tensor* tensor;
  if (!tnp_is_ndarray(array)) {
    if (ndarray_refused) return tnp_from_buffer(module, array);
    return tnp_raise_format(TENON_ERROR_TYPE, "from_numpy: array must be numpy.ndarray, got %s",
                            Py_TYPE(array)->tp_name);
  }
  return tnp_import_array(array, &tensor) == 0 ? tnp_tensor_wrap(tensor) : NULL;
}
