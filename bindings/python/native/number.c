/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic, comparison and conversion of Tensor objects through ATen operators. */
#include "number.h"

static tnp_known_op op_add = {"aten::add.Tensor", NULL};
static tnp_known_op op_sub = {"aten::sub.Tensor", NULL};
static tnp_known_op op_mul = {"aten::mul.Tensor", NULL};
static tnp_known_op op_div = {"aten::div.Tensor", NULL};
static tnp_known_op op_remainder = {"aten::remainder.Tensor", NULL};
static tnp_known_op op_div_mode = {"aten::div.Tensor_mode", NULL};
static tnp_known_op op_matmul = {"aten::matmul", NULL};
static tnp_known_op op_neg = {"aten::neg", NULL};
static tnp_known_op op_reciprocal = {"aten::reciprocal", NULL};
static tnp_known_op op_abs = {"aten::abs", NULL};
static tnp_known_op op_eq = {"aten::eq.Tensor", NULL};
static tnp_known_op op_lt = {"aten::lt.Tensor", NULL};
static tnp_known_op op_ne = {"aten::ne.Tensor", NULL};
static tnp_known_op op_le = {"aten::le.Tensor", NULL};
static tnp_known_op op_gt = {"aten::gt.Tensor", NULL};
static tnp_known_op op_ge = {"aten::ge.Tensor", NULL};
static tnp_known_op op_add_ = {"aten::add_.Tensor", NULL};
static tnp_known_op op_sub_ = {"aten::sub_.Tensor", NULL};
static tnp_known_op op_mul_ = {"aten::mul_.Tensor", NULL};
static tnp_known_op op_div_ = {"aten::div_.Tensor", NULL};
static tnp_known_op op_pow = {"aten::pow.Tensor_Tensor", NULL};
static tnp_known_op op_pow_number = {"aten::pow.Tensor_Scalar", NULL};
static tnp_known_op op_pow_of_number = {"aten::pow.Scalar", NULL};
static tnp_known_op op_pow_ = {"aten::pow_.Tensor", NULL};
static tnp_known_op op_pow_number_ = {"aten::pow_.Scalar", NULL};

static inline PyObject* call1(tnp_known_op* known, PyObject* a) {
  PyObject* op = tnp_known(known);
  return op ? ((tnp_op*)op)->vectorcall(op, &a, 1, NULL) : NULL;
}

static inline PyObject* call2(tnp_known_op* known, PyObject* a, PyObject* b) {
  PyObject* op = tnp_known(known);
  PyObject* args[3] = {NULL, a, b};
  if (op == NULL) return NULL;
  return ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* Whether an object can be the other operand; others may know what to do with a tensor. */
static inline bool is_operand(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == tnp_tensor_type || PyLong_Check(object) || PyFloat_Check(object) ||
         PyComplex_Check(object) || TNP_IS_TENSOR(object) || tnp_is_ndarray(object) ||
         strncmp(type->tp_name, "numpy.", 6) == 0;
}

static PyObject* plain_number(PyObject* object) {
  /* numpy's scalars count as numbers, not as 0-dim arrays: item() gives Python's. */
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || TNP_IS_TENSOR(object) ||
      tnp_is_ndarray(object) || strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) != 0) {
    Py_INCREF(object);
    return object;
  }
  return PyObject_CallMethod(object, "item", NULL);
}

static PyObject* binary(tnp_known_op* known, PyObject* a, PyObject* b) {
  if (TNP_LIKELY(Py_TYPE(a) == tnp_tensor_type && Py_TYPE(b) == tnp_tensor_type)) {
    return call2(known, a, b);
  }
  if (!is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* x = plain_number(a);
  PyObject* y = x ? plain_number(b) : NULL;
  PyObject* result = y ? call2(known, x, y) : NULL;
  Py_XDECREF(x);
  Py_XDECREF(y);
  return result;
}

PyObject* tnp_add(PyObject* a, PyObject* b) { return binary(&op_add, a, b); }
PyObject* tnp_subtract(PyObject* a, PyObject* b) { return binary(&op_sub, a, b); }
PyObject* tnp_multiply(PyObject* a, PyObject* b) { return binary(&op_mul, a, b); }
PyObject* tnp_divide(PyObject* a, PyObject* b) {
  const bool is_number = PyLong_Check(a) || PyFloat_Check(a) || PyComplex_Check(a);
  if (TNP_LIKELY(!is_number || Py_TYPE(b) != tnp_tensor_type)) return binary(&op_div, a, b);
  /* As PyTorch: a number by a tensor is the reciprocal times the number, rounded twice. */
  PyObject* inverse = call1(&op_reciprocal, b);
  PyObject* result = inverse ? call2(&op_mul, inverse, a) : NULL;
  Py_XDECREF(inverse);
  return result;
}
PyObject* tnp_remainder(PyObject* a, PyObject* b) {
  if (PyUnicode_Check(a)) Py_RETURN_NOTIMPLEMENTED; /* a text is formatted */
  return binary(&op_remainder, a, b);
}
PyObject* tnp_negative(PyObject* a) { return call1(&op_neg, a); }
PyObject* tnp_absolute(PyObject* a) { return call1(&op_abs, a); }
PyObject* tnp_positive(PyObject* a) {
  Py_INCREF(a);
  return a;
}

PyObject* tnp_floor_divide(PyObject* a, PyObject* b) {
  static PyObject *names, *floor;
  if (!is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (names == NULL && (names = Py_BuildValue("(s)", "rounding_mode")) == NULL) return NULL;
  if (floor == NULL && (floor = PyUnicode_InternFromString("floor")) == NULL) return NULL;
  PyObject* op = tnp_known(&op_div_mode);
  PyObject* args[4] = {NULL, a, b, floor};
  if (op == NULL) return NULL;
  return ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
}

static bool is_tensor(PyObject* object) { return TNP_IS_TENSOR(object) || tnp_is_ndarray(object); }

/* The overload goes by which of both is a tensor; Python's third argument is for integers. */
PyObject* tnp_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  tnp_known_op* known = !is_tensor(a) ? &op_pow_of_number : is_tensor(b) ? &op_pow : &op_pow_number;
  return binary(known, a, b);
}
PyObject* tnp_power_in_place(PyObject* a, PyObject* b, PyObject* modulus) {
  (void)modulus; /* always None */
  return binary(is_tensor(b) ? &op_pow_ : &op_pow_number_, a, b);
}

PyObject* tnp_matmul(PyObject* a, PyObject* b) {
  if ((!TNP_IS_TENSOR(a) && !tnp_is_ndarray(a)) || (!TNP_IS_TENSOR(b) && !tnp_is_ndarray(b))) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return call2(&op_matmul, a, b);
}

PyObject* tnp_add_in_place(PyObject* a, PyObject* b) { return binary(&op_add_, a, b); }
PyObject* tnp_subtract_in_place(PyObject* a, PyObject* b) { return binary(&op_sub_, a, b); }
PyObject* tnp_multiply_in_place(PyObject* a, PyObject* b) { return binary(&op_mul_, a, b); }
PyObject* tnp_divide_in_place(PyObject* a, PyObject* b) { return binary(&op_div_, a, b); }

/* ---- Comparison ------------------------------------------------------------------------------ */

PyObject* tnp_tensor_compare(PyObject* a, PyObject* b, int op) {
  static tnp_known_op* const known[] = {&op_lt, &op_le, &op_eq, &op_ne, &op_gt, &op_ge};
  return binary(known[op], a, b); /* in the order of Py_LT to Py_GE */
}

/* ---- Conversion ------------------------------------------------------------------------------ */

int tnp_truth(PyObject* a) {
  PyObject* number = tnp_tensor_scalar(a);
  if (number == NULL) return -1;
  int truth = PyObject_IsTrue(number);
  Py_DECREF(number);
  return truth;
}

static PyObject* through(PyObject* a, PyObject* (*convert)(PyObject*)) {
  PyObject* number = tnp_tensor_scalar(a);
  PyObject* result = number ? convert(number) : NULL;
  Py_XDECREF(number);
  return result;
}

PyObject* tnp_as_int(PyObject* a) { return through(a, PyNumber_Long); }
PyObject* tnp_as_float(PyObject* a) { return through(a, PyNumber_Float); }
PyObject* tnp_as_index(PyObject* a) {
  tenon_tensor* tensor = tnp_tensor_get(a);
  if (tensor == NULL) return NULL;
  if (!(tenon_dtype_traits(tenon_tensor_dtype(tensor)) & TENON_DTYPE_IS_INTEGRAL)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "index: tensor must be of an integer dtype, got %s",
                            tenon_dtype_name(tenon_tensor_dtype(tensor)));
  }
  return through(a, PyNumber_Long);
}
