/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing memory with numpy and with anything that has a buffer: in and out without a copy. */
#include "native.h"

#include "dlpack_abi.h"

/* ---- Foreign memory under a tensor ------------------------------------------------------------
 */

/* What keeps foreign memory alive: an object or a buffer view. */
typedef struct {
  tnp_garbage garbage;
  PyObject* object;
  Py_buffer view; /* view.obj NULL without one */
  struct DLManagedTensorVersioned
      managed; /* read-only memory travels as DLPack, which can say so */
  int64_t sizes[TENON_TENSOR_MAX_DIMS];
  int64_t strides[TENON_TENSOR_MAX_DIMS];
} owner;

static void owner_run(tnp_garbage* garbage) {
  owner* self = (owner*)garbage;
  Py_XDECREF(self->object);
  if (self->view.obj != NULL) PyBuffer_Release(&self->view);
  PyMem_RawFree(self);
}
static void owner_drop(void* self) { tnp_discard(&((owner*)self)->garbage); }
static void owner_drop_managed(struct DLManagedTensorVersioned* managed) {
  owner_drop(managed->manager_ctx);
}

/* For writable memory only the head is needed: arguments of calls are wrapped by the million. */
static owner* owner_new(PyObject* object, bool writable) {
  size_t size = writable ? offsetof(owner, managed) : sizeof(owner);
  owner* self = PyMem_RawMalloc(size);
  if (self == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  self->garbage.run = owner_run;
  Py_XINCREF(object);
  self->object = object;
  self->view.obj = NULL;
  return self;
}

static dl_dtype dl_dtype_of(tenon_dtype dtype) {
  uint32_t traits = tenon_dtype_traits(dtype);
  dl_dtype out = {0, (uint8_t)(tenon_dtype_size(dtype) * 8), 1};
  out.code = dtype == TENON_DTYPE_BOOL            ? 6
             : (traits & TENON_DTYPE_IS_COMPLEX)  ? 5
             : (traits & TENON_DTYPE_IS_FLOATING) ? 2
             : (traits & TENON_DTYPE_IS_SIGNED)   ? 0
                                                  : 1;
  return out;
}

/* Wraps strided memory. Takes over `self`. */
static int wrap(owner* self, void* data, tenon_dtype dtype, int ndim, const int64_t* sizes,
                const int64_t* strides, bool writable, tenon_tensor** out) {
  if (writable) {
    return tnp_check(
        tenon_tensor_wrap(data, dtype, NULL, ndim, sizes, strides, self, owner_drop, out));
  }
  memset(&self->managed, 0, sizeof self->managed);
  memcpy(self->sizes, sizes, (size_t)ndim * 8);
  memcpy(self->strides, strides, (size_t)ndim * 8);
  self->managed.major = 1;
  self->managed.manager_ctx = self;
  self->managed.deleter = owner_drop_managed;
  self->managed.flags = DL_FLAG_READ_ONLY;
  self->managed.tensor.data = data;
  self->managed.tensor.device.device_type = DL_CPU;
  self->managed.tensor.ndim = ndim;
  self->managed.tensor.dtype = dl_dtype_of(dtype);
  self->managed.tensor.shape = self->sizes;
  self->managed.tensor.strides = self->strides;
  int result = tnp_check(tenon_tensor_from_dlpack(&self->managed, out));
  if (result != 0) owner_drop(self);
  return result;
}

/* Byte strides into element strides; false when they are not whole or negative. */
static bool to_elements(int ndim, const Py_ssize_t* shape, const Py_ssize_t* bytes,
                        int64_t itemsize, int64_t* sizes, int64_t* strides) {
  for (int i = 0; i < ndim; i++) {
    sizes[i] = shape[i];
    bool idle = shape[i] <= 1; /* a stride that is never used may be anything */
    if (!idle && (bytes[i] < 0 || bytes[i] % itemsize != 0)) return false;
    strides[i] = idle ? 1 : bytes[i] / itemsize;
  }
  return true;
}

/* ---- numpy ----------------------------------------------------------------------------------- */

/* The stable head of numpy's array and dtype structs, equal in numpy 1.x and 2.x. */
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

#define NUMPY_WRITEABLE 0x0400

static PyTypeObject* ndarray_type;
static bool ndarray_refused; /* numpy's ABI is one we do not know: use its buffer protocol */

static const int8_t numpy_dtypes[] = {TENON_DTYPE_BOOL,
                                      TENON_DTYPE_I8,
                                      TENON_DTYPE_U8,
                                      TENON_DTYPE_I16,
                                      TENON_DTYPE_NONE /* u16 */,
                                      TENON_DTYPE_I32,
                                      TENON_DTYPE_NONE /* u32 */,
                                      sizeof(long) == 8 ? TENON_DTYPE_I64 : TENON_DTYPE_I32,
                                      TENON_DTYPE_NONE /* ulong */,
                                      TENON_DTYPE_I64,
                                      TENON_DTYPE_NONE /* u64 */,
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
    /* Slot 0 is the version of the struct layout, 2 is the array type: true since numpy 1.0. */
    unsigned version = ((unsigned (*)(void))api[0])();
    if ((version >> 24 == 1 || version >> 24 == 2) && (PyTypeObject*)api[2] == candidate) {
      ndarray_type = candidate;
      return true;
    }
    break;
  }
  ndarray_refused = true;
  return false;
}

bool tnp_is_ndarray(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (TNP_LIKELY(ndarray_type != NULL)) {
    return type == ndarray_type || PyType_IsSubtype(type, ndarray_type);
  }
  if (ndarray_refused) return false;
  for (; type != NULL && type != &PyBaseObject_Type; type = type->tp_base) {
    if (strcmp(type->tp_name, "numpy.ndarray") == 0) return know_numpy(type);
  }
  return false;
}

static int import_array(PyObject* object, tenon_tensor** out) {
  array_head* array = (array_head*)object;
  descr_head* descr = (descr_head*)array->descr;
  int number = descr->type_num;
  int dtype = number == NUMPY_HALF                               ? TENON_DTYPE_F16
              : number >= 0 && number < (int)sizeof numpy_dtypes ? numpy_dtypes[number]
                                                                 : TENON_DTYPE_NONE;
  if (dtype == TENON_DTYPE_NONE || descr->byteorder == '>') {
    tnp_raise_format(
        TENON_ERROR_NOT_SUPPORTED,
        "from_numpy: array must be of a dtype that Tenon has, in native byte order, got "
        "%S",
        array->descr);
    return -1;
  }
  if (array->nd > TENON_TENSOR_MAX_DIMS) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "from_numpy: array must have at most %d dims, got %d", TENON_TENSOR_MAX_DIMS,
                     array->nd);
    return -1;
  }
  int64_t sizes[TENON_TENSOR_MAX_DIMS], strides[TENON_TENSOR_MAX_DIMS];
  if (!to_elements(array->nd, array->dimensions, array->strides, tenon_dtype_size(dtype), sizes,
                   strides)) {
    tnp_raise_format(TENON_ERROR_INVALID_ARGUMENT,
                     "from_numpy: array must have strides of whole elements that are not negative, "
                     "got others; array.copy() has");
    return -1;
  }
  bool writable = (array->flags & NUMPY_WRITEABLE) != 0;
  owner* self = owner_new(object, writable);
  if (self == NULL) return -1;
  return wrap(self, array->data, dtype, array->nd, sizes, strides, writable, out);
}

PyObject* tnp_from_numpy(PyObject* module, PyObject* array) {
  (void)module;
  tenon_tensor* tensor;
  if (!tnp_is_ndarray(array)) {
    if (ndarray_refused) return tnp_from_buffer(module, array);
    return tnp_raise_format(TENON_ERROR_TYPE, "from_numpy: array must be numpy.ndarray, got %s",
                            Py_TYPE(array)->tp_name);
  }
  return import_array(array, &tensor) == 0 ? tnp_tensor_wrap(tensor) : NULL;
}

/* ---- The buffer protocol --------------------------------------------------------------------- */

static const struct {
  tenon_dtype dtype;
  const char* format;
} formats[] = {{TENON_DTYPE_BOOL, "?"}, {TENON_DTYPE_U8, "B"},   {TENON_DTYPE_I8, "b"},
               {TENON_DTYPE_I16, "h"},  {TENON_DTYPE_I32, "i"},  {TENON_DTYPE_I64, "q"},
               {TENON_DTYPE_I64, "l"},  {TENON_DTYPE_F16, "e"},  {TENON_DTYPE_F32, "f"},
               {TENON_DTYPE_F64, "d"},  {TENON_DTYPE_C64, "Zf"}, {TENON_DTYPE_C128, "Zd"}};
#define FORMATS (sizeof formats / sizeof *formats)

static int import_buffer(PyObject* object, tenon_tensor** out) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) != 0) return -1;
  const char* format = view.format ? view.format : "B";
  if (*format == '@' || *format == '=') format++;
  tenon_dtype dtype = TENON_DTYPE_NONE;
  for (size_t i = 0; i < FORMATS; i++) {
    if (strcmp(format, formats[i].format) == 0) dtype = formats[i].dtype;
  }
  int64_t sizes[TENON_TENSOR_MAX_DIMS], strides[TENON_TENSOR_MAX_DIMS];
  int result = -1;
  if (dtype == TENON_DTYPE_NONE || tenon_dtype_size(dtype) != view.itemsize) {
    tnp_raise_format(TENON_ERROR_NOT_SUPPORTED,
                     "from_buffer: buffer must have a format that Tenon has, got '%s'",
                     view.format ? view.format : "");
  } else if (view.ndim > TENON_TENSOR_MAX_DIMS || view.suboffsets != NULL ||
             !to_elements(view.ndim, view.shape, view.strides, view.itemsize, sizes, strides)) {
    tnp_raise_format(
        TENON_ERROR_INVALID_ARGUMENT,
        "from_buffer: buffer must have strides of whole elements that are not negative, "
        "got others");
  } else {
    bool writable = !view.readonly;
    owner* self = owner_new(NULL, writable);
    if (self != NULL) {
      self->view = view;
      return wrap(self, view.buf, dtype, view.ndim, sizes, strides, writable, out);
    }
  }
  PyBuffer_Release(&view);
  return result;
}

PyObject* tnp_from_buffer(PyObject* module, PyObject* object) {
  (void)module;
  tenon_tensor* tensor;
  if (!PyObject_CheckBuffer(object)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "from_buffer: object must have a buffer, got %s",
                            Py_TYPE(object)->tp_name);
  }
  return import_buffer(object, &tensor) == 0 ? tnp_tensor_wrap(tensor) : NULL;
}

int tnp_tensor_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  tenon_tensor_info info;
  view->obj = NULL;
  if (tnp_tensor_info(self, &info) != 0) return -1;
  const char* format = NULL;
  for (size_t i = 0; i < FORMATS && format == NULL; i++) {
    if (formats[i].dtype == info.dtype) format = formats[i].format;
  }
  if (info.device.type != TENON_DEVICE_CPU || format == NULL) {
    PyErr_Format(
        PyExc_BufferError,
        "Tensor: a buffer must be on the CPU and of a dtype that buffers have, got %s on %s",
        tenon_dtype_name(info.dtype), tenon_device_type_name(info.device.type));
    return -1;
  }
  if (info.flags & TENON_TENSOR_HOLLOW) {
    PyErr_SetString(
        PyExc_BufferError,
        "Tensor: a buffer must have memory, got a tensor that stands for something else");
    return -1;
  }
  bool read_only = (info.flags & TENON_TENSOR_READ_ONLY) != 0;
  if (read_only && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "Tensor: memory must be writable, got a read-only tensor");
    return -1;
  }
  bool contiguous = (info.flags & TENON_TENSOR_CONTIGUOUS) != 0;
  bool wants_order = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                     (flags & PyBUF_STRIDES) != PyBUF_STRIDES;
  if ((wants_order && !contiguous) ||
      ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !(contiguous && info.ndim <= 1))) {
    PyErr_SetString(PyExc_BufferError,
                    "Tensor: memory must be contiguous for this consumer, got a "
                    "strided tensor");
    return -1;
  }
  Py_ssize_t* numbers = PyMem_Malloc(sizeof *numbers * 2 * (size_t)(info.ndim + 1));
  if (numbers == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  int64_t itemsize = tenon_dtype_size(info.dtype);
  for (int32_t i = 0; i < info.ndim; i++) {
    numbers[i] = (Py_ssize_t)info.sizes[i];
    numbers[info.ndim + i] = (Py_ssize_t)(info.strides[i] * itemsize);
  }
  static char nothing[16];
  view->buf = info.data ? info.data : nothing;
  Py_INCREF(self);
  view->obj = self;
  view->len = (Py_ssize_t)(info.numel * itemsize);
  view->itemsize = (Py_ssize_t)itemsize;
  view->readonly = read_only;
  view->ndim = info.ndim;
  view->format = (flags & PyBUF_FORMAT) ? (char*)format : NULL;
  view->shape = (flags & PyBUF_ND) ? numbers : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? numbers + info.ndim : NULL;
  view->suboffsets = NULL;
  view->internal = numbers;
  return 0;
}

void tnp_tensor_release_buffer(PyObject* self, Py_buffer* view) {
  (void)self;
  PyMem_Free(view->internal);
}

/* ---- Any object ------------------------------------------------------------------------------ */

int tnp_import_dlpack(PyObject* object, tenon_tensor** out); /* dlpack.c */
int tnp_import_table(PyObject* object, tenon_tensor** out);  /* exchange_table.c */
int tnp_table_init(void);

int tnp_import(PyObject* object, tenon_tensor** out) {
  if (tnp_is_ndarray(object)) return import_array(object, out) == 0 ? 1 : -1;
  int found = tnp_import_table(object, out);
  if (found == 0) found = tnp_import_dlpack(object, out);
  if (found != 0) return found;
  if (PyObject_CheckBuffer(object) && !PyBytes_Check(object)) {
    return import_buffer(object, out) == 0 ? 1 : -1;
  }
  return 0;
}

static PyMethodDef methods[] = {
    {"from_numpy", tnp_from_numpy, METH_O,
     "from_numpy(array, /)\n--\n\nReturns a tensor on the memory of a numpy array."},
    {"from_buffer", tnp_from_buffer, METH_O,
     "from_buffer(object, /)\n--\n\nReturns a tensor on the memory of an object with a buffer."},
    {"from_dlpack", tnp_from_dlpack, METH_O,
     "from_dlpack(object, /)\n--\n\nReturns a tensor on the memory of an object with __dlpack__, "
     "or "
     "of a DLPack capsule."},
    {NULL, NULL, 0, NULL}};

int tnp_exchange_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_table_init();
}
