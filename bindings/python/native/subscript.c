/* SPDX-License-Identifier: Apache-2.0 */
/* Indexing with ints, slices, None and Ellipsis: views made by ATen's view operators. Keys with
 * tensors, masks or sequences are handled in selection.c. */
#include "selection.h"
#include "symbol.h"

#include "function_protocol.h"

static tnp_op_cache op_select = {"aten::select.int", NULL};
static tnp_op_cache op_slice = {"aten::slice.Tensor", NULL};
static tnp_op_cache op_unsqueeze = {"aten::unsqueeze", NULL};
static tnp_op_cache op_view = {"aten::view", NULL};
static tnp_op_cache op_copy = {"aten::copy_", NULL};
static tnp_op_cache op_fill = {"aten::fill_.Scalar", NULL};

/* Returns true if an index has handlers. Most index a plain tensor with an int or a slice. */
static inline bool has_handler(PyObject* self, PyObject* key) {
  PyObject* args[2] = {self, key};
  const bool is_simple = PyLong_CheckExact(key) || PySlice_Check(key);
  return TNP_UNLIKELY(Py_TYPE(self) != tnp_plain_type || !is_simple) &&
         tnp_has_handler_slow(args, 2);
}

static inline tenon_value integer(int64_t number) {
  return (tenon_value){.tag = TENON_TAG_INT, .as.i = number};
}

static PyObject* step(tnp_op_cache* known, PyObject* tensor, const tenon_value* more,
                      uint32_t count) {
  PyObject* op = tnp_cached_op(known);
  PyObject* result = op ? tnp_op_apply(op, tensor, more, count) : NULL;
  Py_DECREF(tensor);
  return result;
}

bool tnp_is_index(PyObject* key) {
  if (TNP_LIKELY(PyLong_CheckExact(key))) return true;
  return !PyBool_Check(key) &&
         (PyLong_Check(key) || (!TNP_IS_TENSOR(key) && !tnp_is_ndarray(key) && PyIndex_Check(key)));
}

/* Converts an index to int64. Returns 0, or -1 with an exception. */
static int to_index(PyObject* key, int64_t* out) {
  Py_ssize_t number = PyNumber_AsSsize_t(key, PyExc_IndexError);
  *out = number;
  return number == -1 && PyErr_Occurred() ? -1 : 0;
}

PyObject* tnp_take_select(PyObject* tensor, int64_t dim, PyObject* key) {
  int64_t index;
  if (to_index(key, &index) != 0) {
    Py_DECREF(tensor);
    return NULL;
  }
  tenon_value more[2] = {integer(dim), integer(index)};
  return step(&op_select, tensor, more, 2);
}

static bool is_symbolic(PyObject* object) {
  const tenon_tensor* tensor = tnp_tensor_get(object);
  return tensor != NULL && (tenon_tensor_flags(tensor) & TENON_TENSOR_SYMBOLIC) != 0;
}

/* Converts a bound of a slice. Bounds outside int64 are clamped. A symbol stays symbolic if the
 * tensor has symbolic sizes. */
static int to_bound(PyObject* key, PyObject* tensor, tenon_value* out) {
  *out = (tenon_value){0};
  if (key == Py_None) return 0;
  if (tnp_is_symbol(key) && is_symbolic(tensor)) {
    out->as.symbol = tnp_symbol_get(key);
    out->tag = tenon_symbol_tag(out->as.symbol);
    return 0;
  }
  if (!PyIndex_Check(key)) {
    tnp_raise_format(TENON_ERROR_TYPE, "index: a slice must have ints or None, got %s",
                     Py_TYPE(key)->tp_name);
    return -1;
  }
  *out = integer(PyNumber_AsSsize_t(key, NULL));
  return PyErr_Occurred() ? -1 : 0;
}

PyObject* tnp_take_unsqueeze(PyObject* tensor, int64_t dim) {
  tenon_value at = integer(dim);
  return step(&op_unsqueeze, tensor, &at, 1);
}

PyObject* tnp_take_slice(PyObject* tensor, int64_t dim, PyObject* slice) {
  PySliceObject* key = (PySliceObject*)slice;
  tenon_value more[4] = {integer(dim)};
  if (to_bound(key->start, tensor, &more[1]) != 0 || to_bound(key->stop, tensor, &more[2]) != 0 ||
      to_bound(key->step, tensor, &more[3]) != 0) {
    Py_DECREF(tensor);
    return NULL;
  }
  if (key->step == Py_None) more[3] = integer(1);
  return step(&op_slice, tensor, more, 4);
}

PyObject* tnp_take_all(PyObject* self, const tenon_tensor* tensor) {
  PyObject* op = tnp_cached_op(&op_view);
  int64_t numbers[TENON_TENSOR_MAX_DIMS];
  tenon_value sizes = {.tag = TENON_TAG_INT_LIST,
                       .count = (uint32_t)tenon_tensor_copy_dims(tensor, numbers, NULL),
                       .as.list.data = numbers};
  return op ? tnp_op_apply(op, self, &sizes, 1) : NULL;
}

/* Result of count_used for keys that need more than views. */
enum { kSelects = -2 };

/* Returns the number of dims that keys use, or kSelects. */
static int64_t count_used(PyObject* const* keys, Py_ssize_t count) {
  int64_t used = 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (tnp_is_index(keys[i]) || PySlice_Check(keys[i])) {
      used++;
    } else if (keys[i] != Py_None && keys[i] != Py_Ellipsis) {
      return kSelects;
    }
  }
  return used;
}

/* Returns the view for a key without tensors. For other keys, sets `*selects` and returns NULL
 * without an exception. */
static PyObject* take_view(PyObject* self, PyObject* key, bool* selects) {
  *selects = false;
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  int64_t ndim = tenon_tensor_ndim(tensor);
  PyObject* const* keys = &key;
  Py_ssize_t count = 1;
  if (PyTuple_Check(key)) {
    keys = &PyTuple_GET_ITEM(key, 0);
    count = PyTuple_GET_SIZE(key);
  }
  int64_t used = count_used(keys, count);
  if (TNP_UNLIKELY(used == kSelects)) {
    *selects = true;
    return NULL;
  }
  if (used > ndim) {
    return tnp_raise_format(TENON_ERROR_INDEX, "index: indices must be at most %lld, got %lld",
                            (long long)ndim, (long long)used);
  }
  PyObject* result = Py_NewRef(self);
  int64_t dim = 0;
  for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
    if (keys[i] == Py_Ellipsis) {
      dim += ndim - used;
    } else if (keys[i] == Py_None) {
      result = tnp_take_unsqueeze(result, dim++);
    } else if (PySlice_Check(keys[i])) {
      result = tnp_take_slice(result, dim++, keys[i]);
    } else {
      result = tnp_take_select(result, dim, keys[i]);
    }
  }
  if (TNP_LIKELY(result != self)) return result;
  result = tnp_take_all(self, tensor);
  Py_DECREF(self);
  return result;
}

PyObject* tnp_tensor_subscript(PyObject* self, PyObject* key) {
  static tnp_member member = {"__getitem__", NULL};
  PyObject* args[2] = {self, key};
  if (TNP_UNLIKELY(has_handler(self, key))) return tnp_call_member_handlers(&member, args, 2);
  bool selects;
  PyObject* view = take_view(self, key, &selects);
  return TNP_UNLIKELY(selects) ? tnp_select(self, key) : view;
}

PyObject* tnp_tensor_item_at(PyObject* self, Py_ssize_t index) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  /* Iteration regularly ends here: avoid an operator call and a C error. */
  if (tenon_tensor_ndim(tensor) > 0 && index >= tenon_tensor_sizes(tensor)[0]) {
    PyErr_SetString(PyExc_IndexError, "index: past the last element");
    return NULL;
  }
  PyObject* number = PyLong_FromSsize_t(index);
  if (number == NULL) return NULL;
  PyObject* result = tnp_tensor_subscript(self, number);
  Py_DECREF(number);
  return result;
}

bool tnp_is_number(PyObject* value) {
  return PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) ||
         (!TNP_IS_TENSOR(value) && !tnp_is_ndarray(value) && PyIndex_Check(value));
}

PyObject* tnp_value_for(PyObject* target, PyObject* value, bool with_numbers) {
  if (!PyList_Check(value) && !PyTuple_Check(value) && !(with_numbers && tnp_is_number(value))) {
    return Py_NewRef(value);
  }
  PyObject* dtype = PyObject_GetAttrString(target, "dtype");
  PyObject* args[2] = {value, dtype};
  PyObject* made = dtype ? tnp_tensor_from_data(NULL, args, 2) : NULL;
  Py_XDECREF(dtype);
  return tnp_fake_like(made, target);
}

PyObject* tnp_without_front(PyObject* value) {
  if (!TNP_IS_TENSOR(value)) return value;
  const tenon_tensor* tensor = tnp_tensor_get(value);
  if (tensor == NULL) {
    Py_DECREF(value);
    return NULL;
  }
  int64_t sizes[TENON_TENSOR_MAX_DIMS];
  const int64_t ndim = tenon_tensor_copy_dims(tensor, sizes, NULL); /* -1 if symbolic */
  int64_t front = 0;
  while (front < ndim && sizes[front] == 1) front++;
  for (; value != NULL && front > 0; front--) {
    tenon_value more[2] = {integer(0), integer(0)};
    value = step(&op_select, value, more, 2);
  }
  return value;
}

int tnp_tensor_assign(PyObject* self, PyObject* key, PyObject* value) {
  if (value == NULL) {
    tnp_raise_format(TENON_ERROR_TYPE, "index: elements of a tensor must not be deleted, got del");
    return -1;
  }
  static tnp_member member = {"__setitem__", NULL};
  PyObject* args[3] = {self, key, value};
  if (TNP_UNLIKELY(has_handler(self, key) || tnp_class_has_handler(value))) {
    PyObject* done = tnp_call_member_handlers(&member, args, 3);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
  }
  bool selects;
  PyObject* target = take_view(self, key, &selects);
  if (selects) return tnp_select_assign(self, key, value);
  if (target == NULL) return -1;
  bool number = tnp_is_number(value);
  PyObject* source = tnp_value_for(target, value, false);
  if (source != NULL && !number) source = tnp_without_front(source);
  PyObject* op = source ? tnp_cached_op(number ? &op_fill : &op_copy) : NULL;
  PyObject* vector[3] = {NULL, target, source};
  PyObject* done =
      op ? ((tnp_op*)op)->vectorcall(op, vector + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
         : NULL;
  Py_XDECREF(source);
  Py_DECREF(target);
  Py_XDECREF(done);
  return done ? 0 : -1;
}
