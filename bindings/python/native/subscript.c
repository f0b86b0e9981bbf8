/* SPDX-License-Identifier: Apache-2.0 */
/* Indexing with ints, slices, None and Ellipsis: views made by ATen's view operators. */
#include "native.h"

static tnp_known_op op_select = {"aten::select.int", NULL};
static tnp_known_op op_slice = {"aten::slice.Tensor", NULL};
static tnp_known_op op_unsqueeze = {"aten::unsqueeze", NULL};
static tnp_known_op op_view = {"aten::view", NULL};
static tnp_known_op op_copy = {"aten::copy_", NULL};
static tnp_known_op op_fill = {"aten::fill_.Scalar", NULL};

/* Calls an operator with a tensor, which is consumed, a dim and up to three more objects. */
static PyObject* step(tnp_known_op* known, PyObject* tensor, int64_t dim, PyObject* a, PyObject* b,
                      PyObject* c) {
  PyObject* op = tnp_known(known);
  PyObject* number = op ? PyLong_FromLongLong(dim) : NULL;
  PyObject* result = NULL;
  if (number != NULL) {
    PyObject* args[6] = {NULL, tensor, number, a, b, c};
    size_t count = 2 + (a != NULL) + (b != NULL) + (c != NULL);
    result = ((tnp_op*)op)->vectorcall(op, args + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(number);
  }
  Py_DECREF(tensor);
  return result;
}

static bool is_int(PyObject* key) {
  return (PyLong_Check(key) && !PyBool_Check(key)) ||
         (!TNP_IS_TENSOR(key) && !tnp_is_ndarray(key) && !PyBool_Check(key) && PyIndex_Check(key));
}

PyObject* tnp_tensor_subscript(PyObject* self, PyObject* key) {
  tenon_tensor* tensor = tnp_tensor_get(self);
  if (tensor == NULL) return NULL;
  int64_t ndim = tenon_tensor_ndim(tensor);
  PyObject* one[1] = {key};
  PyObject** keys = one;
  Py_ssize_t count = 1;
  if (PyTuple_Check(key)) {
    keys = &PyTuple_GET_ITEM(key, 0);
    count = PyTuple_GET_SIZE(key);
  }
  int64_t used = 0;
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (keys[i] == Py_Ellipsis) {
      if (ellipsis) {
        return tnp_raise_format(TENON_ERROR_INDEX, "index: Ellipsis must be given once, got more");
      }
      ellipsis = true;
    } else if (is_int(keys[i]) || PySlice_Check(keys[i])) {
      used++;
    } else if (keys[i] != Py_None) {
      return tnp_raise_format(TENON_ERROR_NOT_SUPPORTED,
                              "index: an index must be int, slice, None or Ellipsis, got %s",
                              Py_TYPE(keys[i])->tp_name);
    }
  }
  if (used > ndim) {
    return tnp_raise_format(TENON_ERROR_INDEX, "index: indices must be at most %lld, got %lld",
                            (long long)ndim, (long long)used);
  }
  Py_INCREF(self);
  PyObject* result = self;
  int64_t dim = 0;
  for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
    if (keys[i] == Py_Ellipsis) {
      dim += ndim - used;
    } else if (keys[i] == Py_None) {
      result = step(&op_unsqueeze, result, dim++, NULL, NULL, NULL);
    } else if (PySlice_Check(keys[i])) {
      PySliceObject* slice = (PySliceObject*)keys[i];
      static PyObject* unit;
      if (unit == NULL && (unit = PyLong_FromLong(1)) == NULL) return NULL;
      result = step(&op_slice, result, dim++, slice->start, slice->stop,
                    slice->step == Py_None ? unit : slice->step);
    } else {
      result = step(&op_select, result, dim, keys[i], NULL, NULL);
    }
  }
  if (result == self) {
    /* Nothing was selected: still a new view, as everywhere else. */
    PyObject* op = tnp_known(&op_view);
    PyObject* shape = op ? PyObject_GetAttrString(self, "shape") : NULL;
    PyObject* args[3] = {NULL, self, shape};
    result = shape
                 ? ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
                 : NULL;
    Py_XDECREF(shape);
    Py_DECREF(self);
  }
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
