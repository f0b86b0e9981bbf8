/* SPDX-License-Identifier: Apache-2.0 */
/* The Tensor object, one per tensor: lifetime and attributes. */
#include "native.h"

#include <stddef.h>
#include <structmember.h>

#include "function_protocol.h"
#include "hook.h"
#include "number.h"
#include "symbol.h"

PyTypeObject* tnp_tensor_type;

/* ---- Life ------------------------------------------------------------------------------------ */

#define FREE_MAX 64
static tnp_tensor* free_list[FREE_MAX];
static int free_count;

/* Called when the tensor whose cell owned `object` dies, on any thread and without the GIL. Only a
 * weak reference can still reach the object, and would then find one without a tensor. */
static void drop_object(void* object) {
  ((tnp_tensor*)object)->keeper = NULL;
  tnp_discard_object(object);
}

tenon_tensor* tnp_tensor_revive(tnp_tensor* self) {
  tenon_tensor* tensor = self->keeper;
  if (tensor == NULL) {
    tnp_raise_format(TENON_ERROR_STATE,
                     "Tensor: the tensor behind this object must be alive, got a released one");
    return NULL;
  }
  /* A weak reference revived an object owned by its tensor's cell: the object owns the tensor
   * again. */
  self->tensor = tenon_tensor_retain(tensor);
  self->keeper = NULL;
  tenon_tensor_own_cell(tensor, TENON_LANGUAGE_PYTHON, self, NULL);
  Py_DECREF(self);
  return tensor;
}

static tnp_tensor* allocate(PyTypeObject* type) {
  tnp_tensor* self;
  if (type != tnp_tensor_type) {
    self = (tnp_tensor*)type->tp_alloc(type, 0); /* subclasses are tracked from the start */
  } else if (free_count > 0) {
    self = free_list[--free_count];
    PyObject_Init((PyObject*)self, type);
  } else {
    self = PyObject_GC_New(tnp_tensor, type);
  }
  if (self != NULL) {
    self->tensor = NULL;
    self->dict = NULL;
    self->weakrefs = NULL;
    self->keeper = NULL;
  }
  return self;
}

PyObject* tnp_tensor_wrap(tenon_tensor* tensor) {
  void** cell = tenon_tensor_cell(tensor, TENON_LANGUAGE_PYTHON);
  tnp_tensor* self = *cell;
  if (self != NULL) {
    if (TNP_UNLIKELY(self->tensor == NULL)) {
      /* The cell's reference becomes the caller's, and our tensor reference the object's. */
      self->tensor = tensor;
      self->keeper = NULL;
      tenon_tensor_own_cell(tensor, TENON_LANGUAGE_PYTHON, self, NULL);
      return (PyObject*)self;
    }
    Py_INCREF(self);
    tenon_tensor_release(tensor);
    return (PyObject*)self;
  }
  if (TNP_UNLIKELY(tensor == tenon_tensor_undefined())) Py_RETURN_NONE;
  self = allocate(tnp_tensor_type);
  if (self == NULL) {
    tenon_tensor_release(tensor);
    return NULL;
  }
  self->tensor = tensor;
  *cell = self;
  return (PyObject*)self;
}

PyObject* tnp_tensor_wrap_as(PyTypeObject* type, tenon_tensor* tensor) {
  tnp_tensor* self = allocate(type);
  if (self == NULL) {
    tenon_tensor_release(tensor);
    return NULL;
  }
  self->tensor = tensor;
  *tenon_tensor_cell(tensor, TENON_LANGUAGE_PYTHON) = self;
  return (PyObject*)self;
}

static void tensor_dealloc(PyObject* object) {
  tnp_tensor* self = (tnp_tensor*)object;
  PyTypeObject* type = Py_TYPE(object);
  bool plain = type == tnp_tensor_type;
  if (self->tensor != NULL) {
    bool stateful = !plain || self->dict != NULL || self->weakrefs != NULL;
    if (TNP_UNLIKELY(stateful) && tenon_tensor_use_count(self->tensor) > 1) {
      /* C still holds the tensor: the object moves to the tensor's cell with its state. */
      tenon_tensor* tensor = self->tensor;
      Py_SET_REFCNT(object, 1);
      self->tensor = NULL;
      self->keeper = tensor;
      if (tenon_tensor_own_cell(tensor, TENON_LANGUAGE_PYTHON, self, drop_object) == TENON_OK) {
        tenon_tensor_release(tensor);
        return;
      }
      tenon_error_release(tenon_error_take());
      self->tensor = tensor;
      self->keeper = NULL;
      Py_SET_REFCNT(object, 0);
    }
    /* Clear the cell first, so that code run by weak references cannot find this object again. */
    *tenon_tensor_cell(self->tensor, TENON_LANGUAGE_PYTHON) = NULL;
  }
  if (TNP_UNLIKELY(!plain || self->dict != NULL)) PyObject_GC_UnTrack(object);
  if (TNP_UNLIKELY(self->weakrefs != NULL)) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  if (self->tensor != NULL) {
    tenon_tensor* tensor = self->tensor;
    self->tensor = NULL;
    bool nested = tnp_free_begin();
    tenon_tensor_release(tensor);
    tnp_free_end(nested);
  }
  if (TNP_LIKELY(plain && free_count < FREE_MAX)) {
    free_list[free_count++] = self;
  } else {
    PyObject_GC_Del(self);
  }
  Py_DECREF(type);
}

static int tensor_traverse(PyObject* object, visitproc visit, void* arg) {
  tnp_tensor* self = (tnp_tensor*)object;
  Py_VISIT(Py_TYPE(object));
  /* While C also holds the tensor, its state is not garbage; not visiting keeps it alive. An object
   * in its tensor's cell is held by a reference that the collector only sees through its owner. */
  if (self->tensor != NULL && tenon_tensor_use_count(self->tensor) > 1) return 0;
  Py_VISIT(self->dict);
  if (self->tensor == NULL) return 0;
  tnp_visitor visitor = {visit, arg};
  return tenon_tensor_visit_owned(self->tensor, TENON_LANGUAGE_PYTHON, tnp_visit_owned, &visitor);
}

static int tensor_clear(PyObject* object) {
  tnp_tensor* self = (tnp_tensor*)object;
  if (self->tensor != NULL) {
    if (tenon_tensor_use_count(self->tensor) > 1) return 0; /* C still needs its state */
    bool nested = tnp_free_begin();
    tenon_tensor_clear_owned(self->tensor, TENON_LANGUAGE_PYTHON);
    tnp_free_end(nested);
  }
  /* A plain tensor without a dict is not tracked, which tensor_dealloc relies on. */
  if (Py_TYPE(object) == tnp_tensor_type) PyObject_GC_UnTrack(object);
  Py_CLEAR(self->dict);
  return 0;
}

static int tensor_setattr(PyObject* object, PyObject* name, PyObject* value) {
  int result = PyObject_GenericSetAttr(object, name, value);
  if (((tnp_tensor*)object)->dict != NULL && !PyObject_GC_IsTracked(object)) {
    PyObject_GC_Track(object);
  }
  return result;
}

static PyObject* get_dict(PyObject* object, void* unused) {
  PyObject* dict = PyObject_GenericGetDict(object, unused);
  if (dict != NULL && !PyObject_GC_IsTracked(object)) PyObject_GC_Track(object);
  return dict;
}

static int set_dict(PyObject* object, PyObject* value, void* unused) {
  int result = PyObject_GenericSetDict(object, value, unused);
  if (((tnp_tensor*)object)->dict != NULL && !PyObject_GC_IsTracked(object)) {
    PyObject_GC_Track(object);
  }
  return result;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

int tnp_tensor_info(PyObject* object, tenon_tensor_info* info) {
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return -1;
  return tnp_check(tenon_tensor_describe(tensor, info));
}

int tnp_tensor_snapshot(PyObject* object, tenon_tensor_info* info,
                        int64_t dims[2 * TENON_TENSOR_MAX_DIMS]) {
  const tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return -1;
  int64_t* const strides = dims + TENON_TENSOR_MAX_DIMS;
  const int64_t ndim = tenon_tensor_copy_dims(tensor, dims, strides);
  if (tnp_check(tenon_tensor_describe(tensor, info)) != 0) return -1;
  info->ndim = (int32_t)ndim;
  info->sizes = dims;
  info->strides = strides;
  info->numel = 1;
  bool contiguous = true;
  for (int64_t dim = ndim - 1; dim >= 0; dim--) {
    contiguous = contiguous && (dims[dim] == 1 || strides[dim] == info->numel);
    info->numel *= dims[dim];
  }
  contiguous = contiguous || info->numel == 0;
  info->flags &= ~TENON_TENSOR_CONTIGUOUS;
  if (contiguous) info->flags |= TENON_TENSOR_CONTIGUOUS;
  return 0;
}

static bool is_symbolic(const tenon_tensor* tensor) {
  return (tenon_tensor_flags(tensor) & TENON_TENSOR_SYMBOLIC) != 0;
}

static PyObject* fill_tuple(PyObject* tuple, const int64_t* numbers, int64_t count) {
  for (int64_t i = 0; tuple != NULL && i < count; i++) {
    PyObject* number = PyLong_FromLongLong(numbers[i]);
    if (number == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, number);
  }
  return tuple;
}

PyObject* tnp_sizes_of(const tenon_tensor* tensor) {
  if (TNP_UNLIKELY(is_symbolic(tensor))) {
    return tnp_size_of(tnp_dims_of(tensor, TENON_DIMS_SIZES));
  }
  int64_t sizes[TENON_TENSOR_MAX_DIMS];
  const int64_t ndim = tenon_tensor_copy_dims(tensor, sizes, NULL);
  return fill_tuple(tnp_size_new((Py_ssize_t)ndim), sizes, ndim);
}

static PyObject* get_shape(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  return tnp_sizes_of(tensor);
}

static PyObject* get_dtype(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? tnp_dtype_object(tenon_tensor_dtype(tensor)) : NULL;
}

static PyObject* get_device(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  tenon_device device;
  tenon_tensor_device(tensor, &device);
  return tnp_device_object(device);
}

static PyObject* get_is_device(PyObject* object, void* type) {
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  tenon_device device;
  tenon_tensor_device(tensor, &device);
  return PyBool_FromLong(device.type == (int32_t)(intptr_t)type);
}

static PyObject* get_ndim(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? PyLong_FromLongLong(tenon_tensor_ndim(tensor)) : NULL;
}

static PyObject* get_layout(PyObject* object, void* unused) {
  (void)unused;
  return tnp_tensor_get(object) ? tnp_layout_object(TENON_LAYOUT_STRIDED) : NULL;
}

static PyObject* get_itemsize(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? PyLong_FromLongLong(tenon_dtype_size(tenon_tensor_dtype(tensor))) : NULL;
}

static PyObject* get_nbytes(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  return PyLong_FromLongLong(tenon_tensor_numel(tensor) *
                             tenon_dtype_size(tenon_tensor_dtype(tensor)));
}

static PyObject* get_version(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  if (tenon_tensor_flags(tensor) & TENON_TENSOR_INFERENCE) {
    return tnp_raise_format(TENON_ERROR_STATE,
                            "Tensor._version: tensor must be one whose versions are counted, got "
                            "an inference tensor");
  }
  return PyLong_FromLongLong(tenon_tensor_version(tensor));
}

static PyObject* get_keys(PyObject* object, void* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? tnp_keyset_object(tenon_tensor_keys(tensor)) : NULL;
}

static PyObject* tensor_dim(PyObject* object, PyObject* unused) {
  (void)unused;
  return get_ndim(object, NULL);
}

static PyObject* tensor_numel(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  if (TNP_UNLIKELY(is_symbolic(tensor))) return tnp_dims_of(tensor, TENON_DIMS_NUMEL);
  return PyLong_FromLongLong(tenon_tensor_numel(tensor));
}

static PyObject* tensor_element_size(PyObject* object, PyObject* unused) {
  (void)unused;
  return get_itemsize(object, NULL);
}

/* Implements size() and stride(): returns all values, or that of one dim. */
static PyObject* all_or_one(PyObject* object, PyObject* const* args, Py_ssize_t nargs,
                            const char* what, bool strides) {
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  int64_t numbers[TENON_TENSOR_MAX_DIMS];
  int64_t ndim = tenon_tensor_copy_dims(tensor, strides ? NULL : numbers, strides ? numbers : NULL);
  if (ndim < 0) ndim = tenon_tensor_ndim(tensor); /* symbolic */
  if (TNP_UNLIKELY(is_symbolic(tensor)) && (nargs == 0 || args[0] == Py_None)) {
    if (!strides) return tnp_sizes_of(tensor);
    return tnp_dims_of(tensor, TENON_DIMS_STRIDES);
  }
  if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) {
    PyObject* tuple = strides ? PyTuple_New((Py_ssize_t)ndim) : tnp_size_new((Py_ssize_t)ndim);
    return fill_tuple(tuple, numbers, ndim);
  }
  if (nargs > 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "%s: positional arguments must be at most 1, got %zd",
                            what, nargs);
  }
  long long dim = PyLong_AsLongLong(args[0]);
  if (dim == -1 && PyErr_Occurred()) return NULL;
  if (dim < -ndim || dim >= ndim) {
    return tnp_raise_format(TENON_ERROR_INDEX, "%s: dim must be between %lld and %lld, got %lld",
                            what, (long long)-ndim, (long long)ndim - 1, dim);
  }
  if (TNP_LIKELY(!is_symbolic(tensor)))
    return PyLong_FromLongLong(numbers[dim < 0 ? dim + ndim : dim]);
  PyObject* all = tnp_dims_of(tensor, strides ? TENON_DIMS_STRIDES : TENON_DIMS_SIZES);
  PyObject* one =
      all ? Py_NewRef(PyTuple_GET_ITEM(all, (Py_ssize_t)(dim < 0 ? dim + ndim : dim))) : NULL;
  Py_XDECREF(all);
  return one;
}

static PyObject* tensor_stride(PyObject* object, PyObject* const* args, Py_ssize_t nargs) {
  return all_or_one(object, args, nargs, "stride", true);
}

static PyObject* tensor_size(PyObject* object, PyObject* const* args, Py_ssize_t nargs) {
  return all_or_one(object, args, nargs, "size", false);
}

static PyObject* tensor_storage_offset(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor != NULL ? tnp_dims_of(tensor, TENON_DIMS_OFFSET) : NULL;
}

static PyObject* tensor_data_ptr(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  void* data;
  if (tensor == NULL || tnp_check(tenon_tensor_data(tensor, &data)) != 0) return NULL;
  return PyLong_FromVoidPtr(data);
}

static PyObject* tensor_storage_ptr(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  return PyLong_FromVoidPtr(tenon_storage_data(tenon_tensor_storage(tensor)));
}

static PyObject* tensor_storage_address(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? PyLong_FromVoidPtr(tenon_tensor_storage(tensor)) : NULL;
}

static PyObject* tensor_storage_nbytes(PyObject* object, PyObject* unused) {
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? PyLong_FromLongLong(tenon_storage_nbytes(tenon_tensor_storage(tensor))) : NULL;
}

static PyObject* has_flag(PyObject* object, uint32_t flag) {
  tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor ? PyBool_FromLong((tenon_tensor_flags(tensor) & flag) != 0) : NULL;
}

static PyObject* get_read_only(PyObject* object, void* unused) {
  (void)unused;
  return has_flag(object, TENON_TENSOR_READ_ONLY);
}

/* Maps a tensor and the core's text to the printed text; NULL by default. */
static PyObject* printer;

static PyObject* set_printer(PyObject* module, PyObject* function) {
  (void)module;
  Py_XSETREF(printer, function == Py_None ? NULL : Py_NewRef(function));
  Py_RETURN_NONE;
}

static PyObject* tensor_repr(PyObject* object) {
  static tnp_member member = {"__repr__", NULL};
  if (TNP_UNLIKELY(tnp_has_handler(&object, 1)))
    return tnp_call_member_handlers(&member, &object, 1);
  tenon_tensor* tensor = tnp_tensor_get(object);
  tenon_buffer* text;
  if (tensor == NULL || tnp_check(tenon_tensor_print(tensor, &text)) != 0) return NULL;
  PyObject* result = tnp_text(text);
  if (printer != NULL && result != NULL) {
    PyObject* args[2] = {object, result};
    Py_SETREF(result, PyObject_Vectorcall(printer, args, 2, NULL));
  }
  const bool is_subclass = result != NULL && Py_TYPE(object) != tnp_tensor_type;
  return is_subclass ? tnp_subclass_print(result, Py_TYPE(object)) : result;
}

static Py_hash_t tensor_hash(PyObject* object) { return (Py_hash_t)((uintptr_t)object >> 4); }

static Py_ssize_t tensor_length(PyObject* object) {
  static tnp_member member = {"__len__", NULL};
  if (TNP_UNLIKELY(tnp_has_handler(&object, 1)))
    return tnp_call_number_handlers(&member, &object, 1);
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return -1;
  if (tenon_tensor_ndim(tensor) == 0) {
    tnp_raise_format(TENON_ERROR_TYPE, "len: tensor must have at least 1 dim, got a 0-dim tensor");
    return -1;
  }
  if (TNP_UNLIKELY(is_symbolic(tensor)) &&
      tnp_check(tenon_tensor_specialize(tensor, "self")) != 0) {
    return -1;
  }
  return (Py_ssize_t)tenon_tensor_sizes(tensor)[0];
}

static PyObject* tensor_item(PyObject* object, PyObject* unused) {
  (void)unused;
  return tnp_tensor_scalar(object, "item");
}

static PyObject* tensor_iter(PyObject* object) {
  tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  if (tenon_tensor_ndim(tensor) == 0) {
    return tnp_raise_format(TENON_ERROR_TYPE, "iter: tensor must have a dim, got a 0-dim tensor");
  }
  return PySeqIter_New(object);
}

static PyGetSetDef getset[] = {
    {"shape", get_shape, NULL, "Sizes of the dims, a Size: a tuple of int.", NULL},
    {"dtype", get_dtype, NULL, "Element type.", NULL},
    {"device", get_device, NULL, "Device of the elements.", NULL},
    {"layout", get_layout, NULL, "Layout: tenon.strided.", NULL},
    {"ndim", get_ndim, NULL, "Number of dims.", NULL},
    {"itemsize", get_itemsize, NULL, "Size of one element in bytes.", NULL},
    {"nbytes", get_nbytes, NULL, "Size of all elements in bytes.", NULL},
    {"is_cpu", get_is_device, NULL, "Whether it is on the CPU.", (void*)(intptr_t)TENON_DEVICE_CPU},
    {"is_cuda", get_is_device, NULL, "Whether it is on a CUDA device.",
     (void*)(intptr_t)TENON_DEVICE_CUDA},
    {"is_meta", get_is_device, NULL, "Whether it has no data.", (void*)(intptr_t)TENON_DEVICE_META},
    {"is_read_only", get_read_only, NULL, "Whether its producer forbids writing.", NULL},
    {"data", tnp_tensor_get_data, tnp_tensor_set_data,
     "The same memory, which gradients and versions know nothing of.", NULL},
    {"_version", get_version, NULL, "How often the data was written in place.", NULL},
    {"_keys", get_keys, NULL, "Dispatch keys it carries.", NULL},
    {"real", tnp_tensor_real, tnp_tensor_set_real, "The real parts, as a view.", NULL},
    {"imag", tnp_tensor_imag, tnp_tensor_set_imag, "The imaginary parts, as a view.", NULL},
    {"T", tnp_tensor_reversed, NULL, "The dims in reverse order.", NULL},
    {"__dict__", get_dict, set_dict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"dim", tensor_dim, METH_NOARGS, "dim()\n--\n\nReturns the number of dims."},
    {"numel", tensor_numel, METH_NOARGS, "numel()\n--\n\nReturns the number of elements."},
    {"nelement", tensor_numel, METH_NOARGS, "nelement()\n--\n\nReturns the number of elements."},
    {"element_size", tensor_element_size, METH_NOARGS,
     "element_size()\n--\n\nReturns the size of one element in bytes."},
    {"size", (PyCFunction)(void (*)(void))tensor_size, METH_FASTCALL,
     "size(dim=None, /)\n--\n\nReturns the sizes, or that of one dim."},
    {"stride", (PyCFunction)(void (*)(void))tensor_stride, METH_FASTCALL,
     "stride(dim=None, /)\n--\n\nReturns the strides in elements, or that of one dim."},
    {"storage_offset", tensor_storage_offset, METH_NOARGS,
     "storage_offset()\n--\n\nReturns the offset into the storage in elements."},
    {"data_ptr", tensor_data_ptr, METH_NOARGS,
     "data_ptr()\n--\n\nReturns the address of the first element."},
    {"_storage_ptr", tensor_storage_ptr, METH_NOARGS, NULL},
    {"_storage_address", tensor_storage_address, METH_NOARGS, NULL},
    {"_storage_nbytes", tensor_storage_nbytes, METH_NOARGS, NULL},
    {"is_contiguous", (PyCFunction)(void (*)(void))tnp_tensor_is_contiguous,
     METH_FASTCALL | METH_KEYWORDS,
     "is_contiguous(*, memory_format=contiguous_format)\n--\n\nReturns true if the elements lie in "
     "row-major order without gaps, or in that of a memory format."},
    {"item", tensor_item, METH_NOARGS,
     "item()\n--\n\nReturns the only element as a Python number."},
    {"tolist", tnp_tensor_tolist, METH_NOARGS,
     "tolist()\n--\n\nReturns the elements as nested lists, or the number of a 0-dim tensor."},
    {"view", (PyCFunction)(void (*)(void))tnp_tensor_view, METH_FASTCALL | METH_KEYWORDS,
     "view(*shape)\n--\n\nReturns a view of another shape."},
    {"reshape", (PyCFunction)(void (*)(void))tnp_tensor_reshape, METH_FASTCALL | METH_KEYWORDS,
     "reshape(*shape)\n--\n\nReturns the elements in another shape, a view where possible."},
    {"permute", (PyCFunction)(void (*)(void))tnp_tensor_permute, METH_FASTCALL | METH_KEYWORDS,
     "permute(*dims)\n--\n\nReturns a view with the dims in another order."},
    {"expand", (PyCFunction)(void (*)(void))tnp_tensor_expand, METH_FASTCALL | METH_KEYWORDS,
     "expand(*sizes)\n--\n\nReturns a view with dims of size 1 repeated without copying; -1 keeps "
     "a "
     "size."},
    {"t", tnp_tensor_t, METH_NOARGS,
     "t()\n--\n\nReturns a matrix transposed; tensors of fewer dims as they are."},
    {"contiguous", (PyCFunction)(void (*)(void))tnp_tensor_contiguous,
     METH_FASTCALL | METH_KEYWORDS,
     "contiguous(memory_format=contiguous_format)\n--\n\nReturns the elements in row-major order, "
     "or "
     "that of another format; itself when they are."},
    {"to", (PyCFunction)(void (*)(void))tnp_tensor_to, METH_FASTCALL | METH_KEYWORDS,
     "to(*args, dtype=None, device=None, memory_format=None, non_blocking=False, "
     "copy=False)\n--\n\n"
     "Returns the tensor with another dtype or device, itself when nothing changes.\n\n"
     "Takes a dtype, a device, both, or another tensor to be like."},
    {"detach_", tnp_tensor_detach_in_place, METH_NOARGS,
     "detach_()\n--\n\nMakes it a leaf that gradients do not flow to; returns it."},
    {"as_subclass", tnp_tensor_as_subclass, METH_O,
     "as_subclass(cls, /)\n--\n\nReturns the same data as an object of a subclass of Tensor."},
    {"__dlpack__", (PyCFunction)(void (*)(void))tnp_tensor_dlpack, METH_FASTCALL | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"},
    {"__dlpack_device__", tnp_tensor_dlpack_device, METH_NOARGS,
     "__dlpack_device__()\n--\n\nReturns (device type, device index) as DLPack numbers them."},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(tnp_tensor, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(tnp_tensor, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A tensor: elements of one dtype on one device. tenon.tensor(data) makes one."},
    {Py_tp_new, tnp_tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_traverse, tensor_traverse},
    {Py_tp_clear, tensor_clear},
    {Py_tp_setattro, tensor_setattr},
    {Py_tp_repr, tensor_repr},
    {Py_tp_hash, tensor_hash},
    {Py_tp_iter, tensor_iter},
    {Py_tp_richcompare, tnp_tensor_compare},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_sq_length, tensor_length},
    {Py_sq_item, tnp_tensor_item_at},
    {Py_mp_length, tensor_length},
    {Py_mp_subscript, tnp_tensor_subscript},
    {Py_mp_ass_subscript, tnp_tensor_assign},
    {Py_bf_getbuffer, tnp_tensor_get_buffer},
    {Py_bf_releasebuffer, tnp_tensor_release_buffer},
    TNP_NUMBER_SLOTS,
    {0, NULL}};

static PyType_Spec spec = {"tenon.Tensor", sizeof(tnp_tensor), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

int tnp_tensor_init(PyObject* module) {
  static PyMethodDef functions[] = {
      {"tensor_from_data", (PyCFunction)(void (*)(void))tnp_tensor_from_data, METH_FASTCALL,
       "tensor_from_data(data, dtype, /)\n--\n\nCopies nested sequences of numbers into a tensor."},
      {"set_tensor_printer", set_printer, METH_O,
       "set_tensor_printer(function, /)\n--\n\nSets what prints tensors, or None for the core."},
      {NULL, NULL, 0, NULL}};
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  return tnp_add_type(module, &tnp_tensor_type, &spec, NULL);
}
