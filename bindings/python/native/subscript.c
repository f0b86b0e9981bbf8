/* SPDX-License-Identifier: Apache-2.0 */
/* Indexing with ints, slices, None and Ellipsis: views made by ATen's view operators. */
#include "native.h"

static tnp_known_op op_select = {"aten::select.int", NULL};
static tnp_known_op op_slice = {"aten::slice.Tensor", NULL};
static tnp_known_op op_unsqueeze = {"aten::unsqueeze", NULL};
static tnp_known_op op_view = {"aten::view", NULL};
static tnp_known_op op_copy = {"aten::copy_", NULL};
static tnp_known_op op_fill = {"aten::fill_.Scalar", NULL};

static inline tenon_value integer(int64_t number) {
  return (tenon_value){.tag = TENON_TAG_INT, .as.i = number};
}

/* Calls a view operator with a tensor, which is consumed. */
static PyObject* step(tnp_known_op* known, PyObject* tensor, const tenon_value* more,
                      uint32_t count) {
  PyObject* op = tnp_known(known);
  PyObject* result = op ? tnp_op_apply(op, tensor, more, count) : NULL;
  Py_DECREF(tensor);
  return result;
}

static inline bool is_int(PyObject* key) {
  if (TNP_LIKELY(PyLong_CheckExact(key))) return true;
  return !PyBool_Check(key) &&
         (PyLong_Check(key) || (!TNP_IS_TENSOR(key) && !tnp_is_ndarray(key) && PyIndex_Check(key)));
}

/* An index as int64: 0, or -1 with an exception. */
static int to_index(PyObject* key, int64_t* out) {
  Py_ssize_t number = PyNumber_AsSsize_t(key, PyExc_IndexError);
  *out = number;
  return number == -1 && PyErr_Occurred() ? -1 : 0;
}

static PyObject* take_select(PyObject* tensor, int64_t dim, PyObject* key) {
  int64_t index;
  if (to_index(key, &index) != 0) {
    Py_DECREF(tensor);
    return NULL;
  }
  tenon_value more[2] = {integer(dim), integer(index)};
  return step(&op_select, tensor, more, 2);
}

/* A bound of a slice; what no tensor is long enough for counts as the farthest. */
static int to_bound(PyObject* key, tenon_value* out) {
  *out = (tenon_value){0};
  if (key == Py_None) return 0;
  if (!PyIndex_Check(key)) {
    tnp_raise_format(TENON_ERROR_TYPE, "index: a slice must have ints or None, got %s",
                     Py_TYPE(key)->tp_name);
    return -1;
  }
  *out = integer(PyNumber_AsSsize_t(key, NULL));
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject* take_slice(PyObject* tensor, int64_t dim, PySliceObject* key) {
  tenon_value more[4] = {integer(dim)};
  if (to_bound(key->start, &more[1]) != 0 || to_bound(key->stop, &more[2]) != 0 ||
      to_bound(key->step, &more[3]) != 0) {
    Py_DECREF(tensor);
    return NULL;
  }
  if (key->step == Py_None) more[3] = integer(1);
  return step(&op_slice, tensor, more, 4);
}

/* Nothing was selected: still a new view, as everywhere else. */
static PyObject* take_all(PyObject* self, const tenon_tensor* tensor) {
  PyObject* op = tnp_known(&op_view);
  tenon_value sizes = {.tag = TENON_TAG_INT_LIST,
                       .count = (uint32_t)tenon_tensor_ndim(tensor),
                       .as.list.data = tenon_tensor_sizes(tensor)};
  return op ? tnp_op_apply(op, self, &sizes, 1) : NULL;
}

/* Counts the dims that keys use: -1 with an exception where they are no good index. */
static int64_t count_used(PyObject* const* keys, Py_ssize_t count) {
  int64_t used = 0;
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (is_int(keys[i]) || PySlice_Check(keys[i])) {
      used++;
    } else if (keys[i] == Py_Ellipsis) {
      if (ellipsis) {
        tnp_raise_format(TENON_ERROR_INDEX, "index: Ellipsis must be given once, got more");
        return -1;
      }
      ellipsis = true;
    } else if (keys[i] != Py_None) {
      tnp_raise_format(TENON_ERROR_NOT_SUPPORTED,
                       "index: an index must be int, slice, None or Ellipsis, got %s",
                       Py_TYPE(keys[i])->tp_name);
      return -1;
    }
  }
  return used;
}

PyObject* tnp_tensor_subscript(PyObject* self, PyObject* key) {
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
  if (used < 0) return NULL;
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
      tenon_value at = integer(dim++);
      result = step(&op_unsqueeze, result, &at, 1);
    } else if (PySlice_Check(keys[i])) {
      result = take_slice(result, dim++, (PySliceObject*)keys[i]);
    } else {
      result = take_select(result, dim, keys[i]);
    }
  }
  if (TNP_LIKELY(result != self)) return result;
  result = take_all(self, tensor);
  Py_DECREF(self);
  return result;
}

PyObject* tnp_tensor_item_at(PyObject* self, Py_ssize_t index) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  /* The end of an iteration is expected: no operator call, no C error. */
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

int tnp_tensor_assign(PyObject* self, PyObject* key, PyObject* value) {
  if (value == NULL) {
    tnp_raise_format(TENON_ERROR_TYPE, "index: elements of a tensor must stay, got del");
    return -1;
  }
  PyObject* target = tnp_tensor_subscript(self, key);
  if (target == NULL) return -1;
  bool number = PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) ||
                (!TNP_IS_TENSOR(value) && !tnp_is_ndarray(value) && PyIndex_Check(value));
  PyObject* source = value;
  Py_INCREF(source);
  if (PyList_Check(value) || PyTuple_Check(value)) {
    PyObject* dtype = PyObject_GetAttrString(target, "dtype");
    PyObject* args[2] = {value, dtype};
    Py_SETREF(source, dtype ? tnp_tensor_from_data(NULL, args, 2) : NULL);
    Py_XDECREF(dtype);
  }
  PyObject* op = source ? tnp_known(number ? &op_fill : &op_copy) : NULL;
  PyObject* args[3] = {NULL, target, source};
  PyObject* done =
      op ? ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL) : NULL;
  Py_XDECREF(source);
  Py_DECREF(target);
  Py_XDECREF(done);
  return done ? 0 : -1;
}
