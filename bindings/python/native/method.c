/* SPDX-License-Identifier: Apache-2.0 */
/* Methods of Tensor that accept their arguments in several forms, each implemented by one
 * operator. */
#include "native.h"

static PyObject* call(tnp_op_cache* known, PyObject* a, PyObject* b) {
  PyObject* op = b ? tnp_cached_op(known) : NULL;
  PyObject* args[3] = {NULL, a, b};
  PyObject* result =
      op ? ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL) : NULL;
  Py_XDECREF(b);
  return result;
}

/* ---- Shapes: f(2, 3), f([2, 3]) and f((2, 3)) ------------------------------------------------ */

/* Reads sizes or dims passed as exact ints, without creating objects. Returns false if they have
 * another form or are too many. */
static bool read_ints(PyObject* const* args, Py_ssize_t nargs, int64_t* numbers, uint32_t* count) {
  if (nargs == 1 && PyTuple_Check(args[0])) {
    nargs = PyTuple_GET_SIZE(args[0]);
    args = &PyTuple_GET_ITEM(args[0], 0);
  }
  if (nargs > TENON_TENSOR_MAX_DIMS) return false;
  for (Py_ssize_t i = 0; i < nargs; i++) {
    if (!PyLong_CheckExact(args[i])) return false;
    int overflow;
    numbers[i] = PyLong_AsLongLongAndOverflow(args[i], &overflow);
    if (overflow != 0) return false;
  }
  *count = (uint32_t)nargs;
  return true;
}

/* Calls an operator with a tensor and an int[]. */
static PyObject* call_with_ints(tnp_op_cache* known, PyObject* self, PyObject* const* args,
                                Py_ssize_t nargs) {
  int64_t numbers[TENON_TENSOR_MAX_DIMS];
  tenon_value ints = {.tag = TENON_TAG_INT_LIST, .as.list.data = numbers};
  if (TNP_LIKELY(read_ints(args, nargs, numbers, &ints.count))) {
    PyObject* op = tnp_cached_op(known);
    return op ? tnp_op_apply(op, self, &ints, 1) : NULL;
  }
  return call(known, self, tnp_sizes(args, nargs));
}

/* Calls an operator with a tensor and arguments of which some are given by name. */
static PyObject* call_by_name(tnp_op_cache* known, PyObject* self, PyObject* const* args,
                              Py_ssize_t nargs, PyObject* names) {
  enum { kMost = 8 }; /* more than any of these operators has parameters */
  PyObject* all[kMost + 2] = {NULL, self};
  const Py_ssize_t total = nargs + PyTuple_GET_SIZE(names);
  PyObject* op = tnp_cached_op(known);
  if (op == NULL) return NULL;
  if (total > kMost) {
    return tnp_raise_format(TENON_ERROR_TYPE, "%s: arguments must be at most %d, got %zd",
                            known->name, (int)kMost, total);
  }
  for (Py_ssize_t i = 0; i < total; i++) all[i + 2] = args[i];
  const size_t flags = (size_t)(nargs + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET;
  return ((tnp_op*)op)->vectorcall(op, all + 1, flags, names);
}

PyObject* tnp_tensor_view(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* names) {
  static tnp_op_cache op = {"aten::view", NULL};
  static tnp_op_cache as_dtype = {"aten::view.dtype", NULL};
  if (TNP_UNLIKELY(names != NULL)) {
    PyObject* first = PyTuple_GET_ITEM(names, 0);
    const bool is_dtype = PyUnicode_CompareWithASCIIString(first, "dtype") == 0;
    return call_by_name(is_dtype ? &as_dtype : &op, self, args, nargs, names);
  }
  if (nargs == 1 && Py_TYPE(args[0]) == tnp_dtype_type) {
    return call(&as_dtype, self, Py_NewRef(args[0]));
  }
  return call_with_ints(&op, self, args, nargs);
}

PyObject* tnp_tensor_reshape(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* names) {
  static tnp_op_cache op = {"aten::reshape", NULL};
  if (TNP_UNLIKELY(names != NULL)) return call_by_name(&op, self, args, nargs, names);
  return call_with_ints(&op, self, args, nargs);
}

PyObject* tnp_tensor_permute(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* names) {
  static tnp_op_cache op = {"aten::permute", NULL};
  if (TNP_UNLIKELY(names != NULL)) return call_by_name(&op, self, args, nargs, names);
  return call_with_ints(&op, self, args, nargs);
}

PyObject* tnp_tensor_expand(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* names) {
  static tnp_op_cache op = {"aten::expand", NULL};
  if (TNP_UNLIKELY(names != NULL)) return call_by_name(&op, self, args, nargs, names);
  return call(&op, self, tnp_sizes(args, nargs));
}

PyObject* tnp_tensor_reversed(PyObject* self, void* unused) {
  static tnp_op_cache known = {"aten::permute", NULL};
  (void)unused;
  tenon_tensor* tensor = tnp_tensor_get(self);
  PyObject* op = tensor ? tnp_cached_op(&known) : NULL;
  if (op == NULL) return NULL;
  int64_t dims[TENON_TENSOR_MAX_DIMS];
  int64_t ndim = tenon_tensor_ndim(tensor);
  for (int64_t i = 0; i < ndim; i++) dims[i] = ndim - 1 - i;
  tenon_value ints = {.tag = TENON_TAG_INT_LIST, .count = (uint32_t)ndim, .as.list.data = dims};
  return tnp_op_apply(op, self, &ints, 1);
}

/* Returns the real or imaginary part of a complex tensor, a view made by `op`. */
static PyObject* part(tnp_op_cache* op, PyObject* self) {
  PyObject* view = tnp_cached_op(op);
  return view ? tnp_op_apply(view, self, NULL, 0) : NULL;
}

/* Writes a value to the real or imaginary part. */
static int set_part(PyObject* view, PyObject* value) {
  int result = -1;
  if (value == NULL) {
    tnp_raise_format(TENON_ERROR_TYPE,
                     "tensor: the real or imaginary part must not be deleted, got del");
  } else if (view != NULL) {
    result = tnp_tensor_assign(view, Py_Ellipsis, value);
  }
  Py_XDECREF(view);
  return result;
}

PyObject* tnp_tensor_real(PyObject* self, void* unused) {
  static tnp_op_cache op = {"aten::real", NULL};
  (void)unused;
  return part(&op, self);
}

int tnp_tensor_set_real(PyObject* self, PyObject* value, void* unused) {
  return set_part(tnp_tensor_real(self, unused), value);
}

PyObject* tnp_tensor_imag(PyObject* self, void* unused) {
  static tnp_op_cache op = {"aten::imag", NULL};
  (void)unused;
  return part(&op, self);
}

int tnp_tensor_set_imag(PyObject* self, PyObject* value, void* unused) {
  return set_part(tnp_tensor_imag(self, unused), value);
}

PyObject* tnp_tensor_t(PyObject* self, PyObject* unused) {
  static tnp_op_cache op = {"aten::view", NULL};
  static tnp_op_cache transposed = {"aten::t", NULL}; /* passed to handlers of subclasses */
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  int64_t ndim = tenon_tensor_ndim(tensor);
  if (ndim > 2) {
    return tnp_raise_format(TENON_ERROR_TYPE, "t: self must have at most 2 dims, got %lld",
                            (long long)ndim);
  }
  if (Py_TYPE(self) != tnp_tensor_type) {
    PyObject* op = tnp_cached_op(&transposed);
    return op ? tnp_op_apply(op, self, NULL, 0) : NULL;
  }
  if (ndim == 2) return tnp_tensor_reversed(self, unused);
  return call(&op, self, tnp_sizes_of(tensor));
}

PyObject* tnp_tensor_contiguous(PyObject* self, PyObject* const* given, Py_ssize_t count,
                                PyObject* given_names) {
  static tnp_op_cache op = {"aten::clone", NULL};
  static tnp_op_cache in_a_format = {"aten::contiguous", NULL};
  static PyObject* names;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  Py_ssize_t total = count + (given_names != NULL ? PyTuple_GET_SIZE(given_names) : 0);
  if (total > 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "contiguous: takes 1 argument at most, got %lld",
                            (long long)total);
  }
  if (total == 1) {
    PyObject* whole = tnp_cached_op(&in_a_format);
    PyObject* both[3] = {NULL, self, given[0]};
    size_t flags = (size_t)(1 + count) | PY_VECTORCALL_ARGUMENTS_OFFSET;
    return whole ? ((tnp_op*)whole)->vectorcall(whole, both + 1, flags, given_names) : NULL;
  }
  if (tenon_tensor_flags(tensor) & TENON_TENSOR_CONTIGUOUS) return Py_NewRef(self);
  if (names == NULL && (names = Py_BuildValue("(s)", "memory_format")) == NULL) return NULL;
  PyObject* format = tnp_memory_format_object(TENON_MEMORY_FORMAT_CONTIGUOUS);
  PyObject* clone = format ? tnp_cached_op(&op) : NULL;
  PyObject* args[3] = {NULL, self, format};
  PyObject* result =
      clone
          ? ((tnp_op*)clone)->vectorcall(clone, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, names)
          : NULL;
  Py_XDECREF(format);
  return result;
}

/* ---- to -------------------------------------------------------------------------------------- */

/* The parsed arguments of `to`. */
typedef struct {
  PyObject* memory_format;
  bool has_dtype, has_device, non_blocking, copy;
  tenon_dtype dtype;
  tenon_device device;
} wanted;

static int want_device(wanted* w, PyObject* object) {
  int found = tnp_to_device(object, &w->device);
  if (found > 0) w->has_device = true;
  return found;
}

static int want_dtype(wanted* w, PyObject* object) {
  int found = tnp_to_dtype(object, &w->dtype);
  if (found > 0) w->has_dtype = true;
  return found;
}

/* Parses positional arguments; up to two bools, non_blocking and copy, come last. */
static int want_positional(wanted* w, PyObject* const* args, Py_ssize_t nargs) {
  int bools = 0;
  for (Py_ssize_t i = 0; i < nargs; i++) {
    if (PyBool_Check(args[i]) && bools < 2) {
      *(bools++ == 0 ? &w->non_blocking : &w->copy) = args[i] == Py_True;
      continue;
    }
    if (args[i] == Py_None && bools == 0) continue;
    int found = bools > 0 ? 0 : want_dtype(w, args[i]);
    if (found == 0 && bools == 0) found = want_device(w, args[i]);
    if (found < 0) return -1;
    if (found > 0) continue;
    if (TNP_IS_TENSOR(args[i]) && bools == 0) {
      tenon_tensor* like = tnp_tensor_get(args[i]);
      if (like == NULL) return -1;
      w->dtype = tenon_tensor_dtype(like);
      tenon_tensor_device(like, &w->device);
      w->has_dtype = w->has_device = true;
    } else {
      tnp_raise_format(TENON_ERROR_TYPE, "to: argument %zd must be dtype, device or Tensor, got %s",
                       i, Py_TYPE(args[i])->tp_name);
      return -1;
    }
  }
  return 0;
}

static int want_keyword(wanted* w, PyObject* name, PyObject* value) {
  bool none = value == Py_None;
  int truth = 0;
  if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
    int found = none ? 1 : want_dtype(w, value);
    if (found == 0) {
      tnp_raise_format(TENON_ERROR_TYPE, "to: dtype must be a dtype, got %s",
                       Py_TYPE(value)->tp_name);
    }
    return found > 0 ? 0 : -1;
  } else if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
    int found = none ? 1 : want_device(w, value);
    if (found == 0) {
      tnp_raise_format(TENON_ERROR_TYPE, "to: device must be device or str, got %s",
                       Py_TYPE(value)->tp_name);
    }
    return found > 0 ? 0 : -1;
  } else if (PyUnicode_CompareWithASCIIString(name, "memory_format") == 0) {
    if (!none) w->memory_format = value;
  } else if (PyUnicode_CompareWithASCIIString(name, "non_blocking") == 0) {
    if ((truth = PyObject_IsTrue(value)) < 0) return -1;
    w->non_blocking = truth;
  } else if (PyUnicode_CompareWithASCIIString(name, "copy") == 0) {
    if ((truth = PyObject_IsTrue(value)) < 0) return -1;
    w->copy = truth;
  } else {
    tnp_raise_format(TENON_ERROR_TYPE, "to: keyword must be a known one, got '%U'", name);
    return -1;
  }
  return 0;
}

/* Returns true if a tensor is on a device; a device without an index matches any of its type. */
static bool is_device(const tenon_tensor* tensor, tenon_device wanted) {
  tenon_device have;
  tenon_tensor_device(tensor, &have);
  return have.type == wanted.type &&
         (wanted.index < 0 || (have.index < 0 ? 0 : have.index) == wanted.index);
}

/* Returns true if the strides match a memory format. In channels last, dim 1 is the innermost
 * one. */
static bool has_memory_format(const tenon_tensor* tensor, int64_t format) {
  const int64_t ndim = format == TENON_MEMORY_FORMAT_CHANNELS_LAST ? 4 : 5;
  if (format < TENON_MEMORY_FORMAT_CHANNELS_LAST) {
    return (tenon_tensor_flags(tensor) & TENON_TENSOR_CONTIGUOUS) != 0;
  }
  int64_t sizes[TENON_TENSOR_MAX_DIMS], strides[TENON_TENSOR_MAX_DIMS], expected = 1;
  if (tenon_tensor_copy_dims(tensor, sizes, strides) != ndim) return false;
  for (int64_t i = 0; i < ndim; i++) {
    const int64_t dim = i == 0 ? 1 : i == ndim - 1 ? 0 : ndim - i;
    if (sizes[dim] != 1 && strides[dim] != expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

PyObject* tnp_tensor_is_contiguous(PyObject* object, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames) {
  const Py_ssize_t named = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
  const tenon_tensor* tensor = tnp_tensor_get(object);
  if (tensor == NULL) return NULL;
  if (TNP_LIKELY(nargs + named == 0)) {
    return PyBool_FromLong((tenon_tensor_flags(tensor) & TENON_TENSOR_CONTIGUOUS) != 0);
  }
  const bool is_named = named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0),
                                                                       "memory_format") == 0;
  if (nargs > 0 || !is_named || Py_TYPE(args[0]) != tnp_memory_format_type) {
    return tnp_raise_format(TENON_ERROR_TYPE,
                            "is_contiguous: argument must be memory_format, given by name");
  }
  return PyBool_FromLong(has_memory_format(tensor, ((tnp_constant*)args[0])->code));
}

/* Returns true if a tensor has the requested memory format. */
static bool has_format(const tenon_tensor* tensor, PyObject* format) {
  if (format == NULL) return true;
  if (Py_TYPE(format) != tnp_memory_format_type) return false;
  int64_t code = ((tnp_constant*)format)->code;
  if (code == TENON_MEMORY_FORMAT_PRESERVE) return true;
  if (code == TENON_MEMORY_FORMAT_CONTIGUOUS) return has_memory_format(tensor, code);
  /* As in PyTorch, strides that fit both formats count as contiguous. */
  return has_memory_format(tensor, code) &&
         !has_memory_format(tensor, TENON_MEMORY_FORMAT_CONTIGUOUS);
}

PyObject* tnp_tensor_to(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) {
  static tnp_op_cache known = {"aten::_to_copy", NULL};
  static PyObject *dtype_name, *device_name, *format_name, *blocking_name;
  if (blocking_name == NULL &&
      ((dtype_name = PyUnicode_InternFromString("dtype")) == NULL ||
       (device_name = PyUnicode_InternFromString("device")) == NULL ||
       (format_name = PyUnicode_InternFromString("memory_format")) == NULL ||
       (blocking_name = PyUnicode_InternFromString("non_blocking")) == NULL)) {
    return NULL;
  }
  wanted w = {0};
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL || want_positional(&w, args, nargs) != 0) return NULL;
  Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (want_keyword(&w, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) != 0) return NULL;
  }
  bool casts = w.has_dtype && w.dtype != tenon_tensor_dtype(tensor);
  bool moves = w.has_device && !is_device(tensor, w.device);
  if (!casts && !moves && !w.copy && has_format(tensor, w.memory_format)) return Py_NewRef(self);
  PyObject* names[4];
  PyObject* vector[6] = {NULL, self};
  Py_ssize_t options = 0;
  PyObject* dtype = casts ? tnp_dtype_object(w.dtype) : NULL;
  PyObject* device = moves ? tnp_device_object(w.device) : NULL;
  bool failed = (casts && dtype == NULL) || (moves && device == NULL);
  PyObject* op = failed ? NULL : tnp_cached_op(&known);
  if (casts) {
    vector[2 + options] = dtype;
    names[options++] = dtype_name;
  }
  if (moves) {
    vector[2 + options] = device;
    names[options++] = device_name;
  }
  if (w.non_blocking) {
    vector[2 + options] = Py_True;
    names[options++] = blocking_name;
  }
  if (w.memory_format != NULL) {
    vector[2 + options] = w.memory_format;
    names[options++] = format_name;
  }
  PyObject* keywords = op ? tnp_sizes(names, options) : NULL;
  PyObject* result =
      keywords
          ? ((tnp_op*)op)->vectorcall(op, vector + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords)
          : NULL;
  Py_XDECREF(keywords);
  Py_XDECREF(dtype);
  Py_XDECREF(device);
  return result;
}
