/* SPDX-License-Identifier: Apache-2.0 */
/* Zero-copy sharing of memory through the buffer protocol, in both directions; import of any
 * object. */
#include "exchange.h"

#include "dlpack_abi.h"

/* ---- Foreign memory under a tensor ------------------------------------------------------------
 */

/* Keeps foreign memory alive: an object or a buffer view. Unused members are zero. */
typedef struct {
  tnp_garbage garbage;
  PyObject* object;
  Py_buffer view; /* view.obj is NULL if there is none */
  struct DLManagedTensorVersioned
      managed; /* read-only memory is imported through DLPack, which has a flag for it */
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

int tnp_wrap_memory(const tnp_memory* memory, PyObject* object, const Py_buffer* view,
                    tenon_tensor** out) {
  owner* self = PyMem_RawCalloc(1, sizeof *self);
  if (self == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  self->garbage.run = owner_run;
  Py_XINCREF(object);
  self->object = object;
  int result;
  if (memory->writable) {
    result = tnp_check(tenon_tensor_wrap(memory->data, memory->dtype, NULL, memory->ndim,
                                         memory->sizes, memory->strides, self, owner_drop, out));
    if (result == 0 && view != NULL) self->view = *view;
    return result; /* the owner was released or belongs to the tensor */
  }
  memcpy(self->sizes, memory->sizes, (size_t)memory->ndim * 8);
  memcpy(self->strides, memory->strides, (size_t)memory->ndim * 8);
  self->managed.major = 1;
  self->managed.manager_ctx = self;
  self->managed.deleter = owner_drop_managed;
  self->managed.flags = DL_FLAG_READ_ONLY;
  self->managed.tensor.data = memory->data;
  self->managed.tensor.device.device_type = DL_CPU;
  self->managed.tensor.ndim = memory->ndim;
  self->managed.tensor.dtype = dl_dtype_of(memory->dtype);
  self->managed.tensor.shape = self->sizes;
  self->managed.tensor.strides = self->strides;
  result = tnp_check(tenon_tensor_from_dlpack(&self->managed, out));
  if (result != 0) {
    owner_drop(self);
  } else if (view != NULL) {
    self->view = *view;
  }
  return result;
}

bool tnp_to_elements(int ndim, const Py_ssize_t* shape, const Py_ssize_t* bytes, int64_t itemsize,
                     int64_t* sizes, int64_t* strides) {
  for (int i = 0; i < ndim; i++) {
    sizes[i] = shape[i];
    bool idle = shape[i] <= 1; /* a stride that is never used can have any value */
    if (!idle && (bytes[i] < 0 || bytes[i] % itemsize != 0)) return false;
    strides[i] = idle ? 1 : bytes[i] / itemsize;
  }
  return true;
}

/* ---- The buffer protocol --------------------------------------------------------------------- */

static const struct {
  tenon_dtype dtype;
  const char* format;
} formats[] = {{TENON_DTYPE_BOOL, "?"}, {TENON_DTYPE_U8, "B"},  {TENON_DTYPE_I8, "b"},
               {TENON_DTYPE_I16, "h"},  {TENON_DTYPE_I32, "i"}, {TENON_DTYPE_I64, "q"},
               {TENON_DTYPE_I64, "l"},  {TENON_DTYPE_U16, "H"}, {TENON_DTYPE_U32, "I"},
               {TENON_DTYPE_U64, "Q"},  {TENON_DTYPE_U64, "L"}, {TENON_DTYPE_F16, "e"},
               {TENON_DTYPE_F32, "f"},  {TENON_DTYPE_F64, "d"}, {TENON_DTYPE_C64, "Zf"},
               {TENON_DTYPE_C128, "Zd"}};
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
             !tnp_to_elements(view.ndim, view.shape, view.strides, view.itemsize, sizes, strides)) {
    tnp_raise_format(
        TENON_ERROR_INVALID_ARGUMENT,
        "from_buffer: buffer must have strides of whole elements that are not negative, "
        "got others");
  } else {
    tnp_memory memory = {view.buf, dtype, view.ndim, sizes, strides, !view.readonly};
    result = tnp_wrap_memory(&memory, NULL, &view, out);
    if (result == 0) return 0; /* the tensor releases the view */
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

/* from_bytes(object, dtype): reads the bytes of a contiguous buffer as elements of a dtype. */
static PyObject* from_bytes(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  (void)module;
  tenon_dtype dtype;
  if (nargs != 2 || tnp_to_dtype(args[1], &dtype) != 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "from_bytes: arguments must be a buffer and a dtype");
  }
  Py_buffer view;
  if (PyObject_GetBuffer(args[0], &view, PyBUF_SIMPLE) != 0) return NULL;
  tenon_tensor* tensor;
  const int64_t count = view.len / tenon_dtype_size(dtype), stride = 1;
  tnp_memory memory = {view.buf, dtype, 1, &count, &stride, !view.readonly};
  if (tnp_wrap_memory(&memory, NULL, &view, &tensor) == 0) return tnp_tensor_wrap(tensor);
  PyBuffer_Release(&view);
  return NULL;
}

/* Keeps the memory of an exported buffer alive, even if the tensor's data is replaced. */
typedef struct {
  tenon_storage* storage;
  Py_ssize_t numbers[]; /* sizes, then strides in bytes */
} exported;

/* Returns true if the thread's calls are recorded for backward; false inside kernels. */
static bool records_calls(void) {
  tenon_keyset autograd = 0;
  return tenon_keyset_from_key(TENON_KEY_AUTOGRAD_CPU, &autograd) == TENON_OK &&
         (tenon_grad_mode_get() & TENON_GRAD_MODE_ON) != 0 &&
         (tenon_keyset_excluded() & autograd) == 0;
}

static PyObject* is_recording(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyBool_FromLong(records_calls());
}

int tnp_tensor_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  tenon_tensor_info info;
  int64_t dims[2 * TENON_TENSOR_MAX_DIMS];
  view->obj = NULL;
  if (tnp_tensor_snapshot(self, &info, dims) != 0) return -1;
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
    /* Raises an error that names the transform if elements cannot be read at all, as under vmap. */
    tenon_tensor* plain = NULL;
    if (tnp_check(tenon_tensor_copy_plain(tnp_tensor_get(self), &plain)) != 0) return -1;
    tenon_tensor_release(plain);
    PyErr_SetString(
        PyExc_BufferError,
        "Tensor: a buffer must have memory, got a tensor that stands for something else");
    return -1;
  }
  if (info.data == NULL && info.numel != 0) {
    PyErr_SetString(PyExc_BufferError, "Tensor: a buffer must have memory, got a fake tensor");
    return -1;
  }
  if (tenon_tensor_requires_grad(tnp_tensor_get(self)) && records_calls()) {
    PyErr_SetString(PyExc_BufferError,
                    "Tensor: a buffer must be of a tensor that does not require grad while grad "
                    "mode is on, as what reads it records nothing; call detach()");
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
  exported* kept = PyMem_Malloc(sizeof *kept + sizeof *kept->numbers * 2 * (size_t)(info.ndim + 1));
  if (kept == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  kept->storage = tenon_storage_retain(tenon_tensor_storage(tnp_tensor_get(self)));
  Py_ssize_t* numbers = kept->numbers;
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
  view->internal = kept;
  return 0;
}

void tnp_tensor_release_buffer(PyObject* self, Py_buffer* view) {
  (void)self;
  exported* kept = view->internal;
  bool nested = tnp_free_begin();
  tenon_storage_release(kept->storage);
  tnp_free_end(nested);
  PyMem_Free(kept);
}

/* ---- Any object ------------------------------------------------------------------------------ */

int tnp_import(PyObject* object, tenon_tensor** out, const char** refusal) {
  if (tnp_is_ndarray(object)) return tnp_import_array(object, out) == 0 ? 1 : -1;
  *refusal = NULL;
  int found = tnp_import_table(object, out, refusal);
  if (found == 0 && *refusal == NULL) found = tnp_import_dlpack(object, out, refusal);
  if (found != 0 || *refusal != NULL) return found;
  if (PyObject_CheckBuffer(object) && !PyBytes_Check(object)) {
    return import_buffer(object, out) == 0 ? 1 : -1;
  }
  return 0;
}

static PyMethodDef methods[] = {
    {"is_recording_gradients", is_recording, METH_NOARGS, NULL},
    {"from_numpy", tnp_from_numpy, METH_O,
     "from_numpy(array, /)\n--\n\nReturns a tensor on the memory of a numpy array."},
    {"from_buffer", tnp_from_buffer, METH_O,
     "from_buffer(object, /)\n--\n\nReturns a tensor on the memory of an object with a buffer."},
    {"from_bytes", (PyCFunction)(void (*)(void))from_bytes, METH_FASTCALL,
     "from_bytes(object, dtype, /)\n--\n\nReturns a tensor on the bytes of a contiguous buffer."},
    {"from_dlpack", tnp_from_dlpack, METH_O,
     "from_dlpack(object, /)\n--\n\nReturns a tensor on the memory of an object with __dlpack__, "
     "or "
     "of a DLPack capsule."},
    {NULL, NULL, 0, NULL}};

int tnp_exchange_init(PyObject* module) {
  if (PyModule_AddFunctions(module, methods) != 0) return -1;
  return tnp_table_init();
}
