/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic, comparison and conversion of Tensor objects through ATen operators. */
#include "number.h"

#include "function_protocol.h"
#include "symbol.h"

/* A Python operator: the ATen operator that it calls, and the Tensor methods that handlers receive.
 * `reverse` is for a tensor on the right; NULL if `method` serves both. */
typedef struct {
  tnp_op_cache op;
  tnp_member method, reverse;
} operation;

#define OPERATION(name, full_name, method, reverse) \
  static operation op_##name = {{full_name, NULL}, {method, NULL}, {reverse, NULL}}

OPERATION(add, "aten::add.Tensor", "add", NULL);
OPERATION(sub, "aten::sub.Tensor", "sub", "__rsub__");
OPERATION(mul, "aten::mul.Tensor", "mul", NULL);
OPERATION(div, "aten::div.Tensor", "div", "__rtruediv__");
OPERATION(floor_div, "aten::div.Tensor_mode", "__floordiv__", "__rfloordiv__");
OPERATION(remainder, "aten::remainder.Tensor", "remainder", "__rmod__");
OPERATION(matmul, "aten::matmul", "matmul", "__rmatmul__");
OPERATION(neg, "aten::neg", "neg", NULL);
OPERATION(reciprocal, "aten::reciprocal", "reciprocal", NULL);
OPERATION(abs, "aten::abs", "abs", NULL);
OPERATION(eq, "aten::eq.Tensor", "__eq__", NULL);
OPERATION(lt, "aten::lt.Tensor", "lt", NULL);
OPERATION(ne, "aten::ne.Tensor", "ne", NULL);
OPERATION(le, "aten::le.Tensor", "le", NULL);
OPERATION(gt, "aten::gt.Tensor", "gt", NULL);
OPERATION(ge, "aten::ge.Tensor", "ge", NULL);
OPERATION(add_, "aten::add_.Tensor", "add_", NULL);
OPERATION(sub_, "aten::sub_.Tensor", "sub_", NULL);
OPERATION(mul_, "aten::mul_.Tensor", "mul_", NULL);
OPERATION(div_, "aten::div_.Tensor", "div_", NULL);
OPERATION(and, "aten::bitwise_and.Tensor", "__and__", "__rand__");
OPERATION(or, "aten::bitwise_or.Tensor", "__or__", "__ror__");
OPERATION(xor, "aten::bitwise_xor.Tensor", "__xor__", "__rxor__");
OPERATION(not, "aten::bitwise_not", "bitwise_not", NULL);
OPERATION(and_, "aten::bitwise_and_.Tensor", "__iand__", NULL);
OPERATION(or_, "aten::bitwise_or_.Tensor", "__ior__", NULL);
OPERATION(xor_, "aten::bitwise_xor_.Tensor", "__ixor__", NULL);
OPERATION(floor_div_, "aten::div_.Tensor_mode", "__ifloordiv__", NULL);
OPERATION(remainder_, "aten::remainder_.Tensor", "remainder_", NULL);
OPERATION(pow, "aten::pow.Tensor_Tensor", "pow", "__rpow__");
OPERATION(pow_number, "aten::pow.Tensor_Scalar", "pow", NULL);
OPERATION(pow_of_number, "aten::pow.Scalar", "pow", "__rpow__");
OPERATION(pow_, "aten::pow_.Tensor", "pow_", NULL);
OPERATION(pow_number_, "aten::pow_.Scalar", "pow_", NULL);

/* Calls the handlers for `a op b`. As in PyTorch, a TypeError lets the other operand's class
 * try. */
static PyObject* call_binary_handlers(operation* o, PyObject* a, PyObject* b) {
  const bool forward = TNP_IS_TENSOR(a);
  PyObject* args[2] = {forward ? a : b, forward ? b : a};
  tnp_member* member = forward || o->reverse.name == NULL ? &o->method : &o->reverse;
  PyObject* result = tnp_call_member_handlers(member, args, 2);
  if (result == NULL && !TNP_IS_TENSOR(args[1]) && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  return result;
}

static inline bool has_handler(PyObject* a, PyObject* b) {
  PyObject* args[2] = {a, b};
  return tnp_has_handler(args, 2);
}

static inline PyObject* call1(tnp_op_cache* known, PyObject* a) {
  PyObject* op = tnp_cached_op(known);
  return op ? ((tnp_op*)op)->vectorcall(op, &a, 1, NULL) : NULL;
}

static inline PyObject* call2(tnp_op_cache* known, PyObject* a, PyObject* b) {
  PyObject* op = tnp_cached_op(known);
  PyObject* args[3] = {NULL, a, b};
  if (op == NULL) return NULL;
  return ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* Returns true if an object can be the other operand. Other classes may implement the operation. */
static inline bool is_operand(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return type == tnp_tensor_type || PyLong_Check(object) || PyFloat_Check(object) ||
         PyComplex_Check(object) || TNP_IS_TENSOR(object) || tnp_is_ndarray(object) ||
         strncmp(type->tp_name, "numpy.", 6) == 0;
}

/* Runs a unary operator that has no special cases. */
static PyObject* unary(operation* o, PyObject* a) {
  if (TNP_UNLIKELY(tnp_has_handler(&a, 1))) return tnp_call_member_handlers(&o->method, &a, 1);
  return call1(&o->op, a);
}

static PyObject* plain_number(PyObject* object) {
  /* numpy's scalars count as numbers, not as 0-dim arrays: item() converts them to Python's. */
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || TNP_IS_TENSOR(object) ||
      tnp_is_ndarray(object) || strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) != 0) {
    Py_INCREF(object);
    return object;
  }
  return PyObject_CallMethod(object, "item", NULL);
}

/* Computes `a op b` where one is a symbol, by operators that take a Scalar. */
static PyObject* binary_symbol(operation* o, PyObject* a, PyObject* b) {
  static struct {
    operation* of;
    tnp_op_cache scalar;
    bool commutes;
  } forms[] = {{&op_add, {"aten::add.Scalar", NULL}, true},
               {&op_sub, {"aten::sub.Scalar", NULL}, false},
               {&op_mul, {"aten::mul.Scalar", NULL}, true},
               {&op_div, {"aten::div.Scalar", NULL}, false},
               {&op_remainder, {"aten::remainder.Scalar", NULL}, false},
               {&op_add_, {"aten::add_.Scalar", NULL}, false},
               {&op_sub_, {"aten::sub_.Scalar", NULL}, false},
               {&op_mul_, {"aten::mul_.Scalar", NULL}, false},
               {&op_div_, {"aten::div_.Scalar", NULL}, false},
               {&op_eq, {"aten::eq.Scalar", NULL}, true},
               {&op_ne, {"aten::ne.Scalar", NULL}, true},
               {&op_lt, {"aten::lt.Scalar", NULL}, false},
               {&op_le, {"aten::le.Scalar", NULL}, false},
               {&op_gt, {"aten::gt.Scalar", NULL}, false},
               {&op_ge, {"aten::ge.Scalar", NULL}, false}};
  if (tnp_is_symbol(a) && o == &op_sub) { /* n - x is computed as -x + n: bitwise equal */
    PyObject* negative = call1(&op_neg.op, b);
    PyObject* difference = negative ? binary_symbol(&op_add, negative, a) : NULL;
    Py_XDECREF(negative);
    return difference;
  }
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (forms[i].of != o || (tnp_is_symbol(a) && !forms[i].commutes)) continue;
    return tnp_is_symbol(a) ? call2(&forms[i].scalar, b, a) : call2(&forms[i].scalar, a, b);
  }
  Py_RETURN_NOTIMPLEMENTED;
}

static PyObject* binary(operation* o, PyObject* a, PyObject* b) {
  tnp_op_cache* known = &o->op;
  if (TNP_LIKELY(Py_TYPE(a) == tnp_plain_type && Py_TYPE(b) == tnp_plain_type)) {
    return call2(known, a, b);
  }
  if (TNP_UNLIKELY(has_handler(a, b))) return call_binary_handlers(o, a, b);
  if ((tnp_is_symbol(b) && TNP_IS_TENSOR(a)) || (tnp_is_symbol(a) && TNP_IS_TENSOR(b))) {
    return binary_symbol(o, a, b);
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
  const bool is_number =
      PyLong_Check(a) || PyFloat_Check(a) || PyComplex_Check(a) || tnp_is_symbol(a);
  if (TNP_LIKELY(!is_number || !TNP_IS_TENSOR(b) || has_handler(a, b)))
    return binary(&op_div, a, b);
  /* As in PyTorch, a number divided by a tensor is the reciprocal times the number, rounded
   * twice. */
  PyObject* inverse = call1(&op_reciprocal.op, b);
  PyObject* result = inverse ? tnp_multiply(inverse, a) : NULL;
  Py_XDECREF(inverse);
  return result;
}
PyObject* tnp_remainder(PyObject* a, PyObject* b) {
  if (PyUnicode_Check(a)) Py_RETURN_NOTIMPLEMENTED; /* str % tensor formats the string */
  return binary(&op_remainder, a, b);
}
PyObject* tnp_negative(PyObject* a) { return unary(&op_neg, a); }
PyObject* tnp_absolute(PyObject* a) { return unary(&op_abs, a); }
PyObject* tnp_positive(PyObject* a) {
  static tnp_member member = {"__pos__", NULL};
  if (TNP_UNLIKELY(tnp_has_handler(&a, 1))) return tnp_call_member_handlers(&member, &a, 1);
  Py_INCREF(a);
  return a;
}

static PyObject* floor_divide(operation* o, PyObject* a, PyObject* b) {
  static PyObject *names, *floor;
  if (TNP_UNLIKELY(has_handler(a, b))) return call_binary_handlers(o, a, b);
  if (!is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (names == NULL && (names = Py_BuildValue("(s)", "rounding_mode")) == NULL) return NULL;
  if (floor == NULL && (floor = PyUnicode_InternFromString("floor")) == NULL) return NULL;
  PyObject* op = tnp_cached_op(&o->op);
  PyObject* x = op ? plain_number(a) : NULL;
  PyObject* y = x ? plain_number(b) : NULL;
  PyObject* args[4] = {NULL, x, y, floor};
  PyObject* result =
      y ? ((tnp_op*)op)->vectorcall(op, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, names) : NULL;
  Py_XDECREF(x);
  Py_XDECREF(y);
  return result;
}

PyObject* tnp_floor_divide(PyObject* a, PyObject* b) { return floor_divide(&op_floor_div, a, b); }
PyObject* tnp_floor_divide_in_place(PyObject* a, PyObject* b) {
  return floor_divide(&op_floor_div_, a, b);
}

static bool is_tensor(PyObject* object) { return TNP_IS_TENSOR(object) || tnp_is_ndarray(object); }

/* The overload depends on which operands are tensors; Python's third argument is for integers
 * only. */
PyObject* tnp_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  operation* o = !is_tensor(a) ? &op_pow_of_number : is_tensor(b) ? &op_pow : &op_pow_number;
  return binary(o, a, b);
}
PyObject* tnp_power_in_place(PyObject* a, PyObject* b, PyObject* modulus) {
  (void)modulus; /* always None */
  return binary(is_tensor(b) ? &op_pow_ : &op_pow_number_, a, b);
}

PyObject* tnp_matmul(PyObject* a, PyObject* b) {
  if (TNP_UNLIKELY(has_handler(a, b))) return call_binary_handlers(&op_matmul, a, b);
  if ((!TNP_IS_TENSOR(a) && !tnp_is_ndarray(a)) || (!TNP_IS_TENSOR(b) && !tnp_is_ndarray(b))) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return call2(&op_matmul.op, a, b);
}

PyObject* tnp_add_in_place(PyObject* a, PyObject* b) { return binary(&op_add_, a, b); }
PyObject* tnp_subtract_in_place(PyObject* a, PyObject* b) { return binary(&op_sub_, a, b); }
PyObject* tnp_multiply_in_place(PyObject* a, PyObject* b) { return binary(&op_mul_, a, b); }
PyObject* tnp_divide_in_place(PyObject* a, PyObject* b) { return binary(&op_div_, a, b); }
PyObject* tnp_remainder_in_place(PyObject* a, PyObject* b) { return binary(&op_remainder_, a, b); }

PyObject* tnp_and(PyObject* a, PyObject* b) { return binary(&op_and, a, b); }
PyObject* tnp_or(PyObject* a, PyObject* b) { return binary(&op_or, a, b); }
PyObject* tnp_xor(PyObject* a, PyObject* b) { return binary(&op_xor, a, b); }
PyObject* tnp_and_in_place(PyObject* a, PyObject* b) { return binary(&op_and_, a, b); }
PyObject* tnp_or_in_place(PyObject* a, PyObject* b) { return binary(&op_or_, a, b); }
PyObject* tnp_xor_in_place(PyObject* a, PyObject* b) { return binary(&op_xor_, a, b); }
PyObject* tnp_invert(PyObject* a) { return unary(&op_not, a); }

/* ---- Comparison ------------------------------------------------------------------------------ */

PyObject* tnp_tensor_compare(PyObject* a, PyObject* b, int op) {
  static operation* const operations[] = {&op_lt, &op_le, &op_eq, &op_ne, &op_gt, &op_ge};
  return binary(operations[op], a, b); /* in the order of Py_LT to Py_GE */
}

/* ---- Conversion ------------------------------------------------------------------------------ */

int tnp_truth(PyObject* a) {
  static tnp_member member = {"__bool__", NULL};
  if (TNP_UNLIKELY(tnp_has_handler(&a, 1))) return (int)tnp_call_number_handlers(&member, &a, 1);
  PyObject* number = tnp_tensor_scalar(a, "bool");
  if (number == NULL) return -1;
  int truth = PyObject_IsTrue(number);
  Py_DECREF(number);
  return truth;
}

static PyObject* through(tnp_member* member, PyObject* a, PyObject* (*convert)(PyObject*)) {
  if (TNP_UNLIKELY(tnp_has_handler(&a, 1))) return tnp_call_member_handlers(member, &a, 1);
  PyObject* number = tnp_tensor_scalar(a, "item");
  PyObject* result = number ? convert(number) : NULL;
  Py_XDECREF(number);
  return result;
}

static tnp_member as_int = {"__int__", NULL};
static tnp_member as_float = {"__float__", NULL};
static tnp_member as_index = {"__index__", NULL};

PyObject* tnp_as_int(PyObject* a) { return through(&as_int, a, PyNumber_Long); }
PyObject* tnp_as_float(PyObject* a) { return through(&as_float, a, PyNumber_Float); }
PyObject* tnp_as_index(PyObject* a) {
  if (TNP_UNLIKELY(tnp_has_handler(&a, 1))) return tnp_call_member_handlers(&as_index, &a, 1);
  tenon_tensor* tensor = tnp_tensor_get(a);
  if (tensor == NULL) return NULL;
  if (!(tenon_dtype_traits(tenon_tensor_dtype(tensor)) & TENON_DTYPE_IS_INTEGRAL)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "index: tensor must be of an integer dtype, got %s",
                            tenon_dtype_name(tenon_tensor_dtype(tensor)));
  }
  if (tenon_tensor_numel(tensor) != 1) {
    return tnp_raise_format(TENON_ERROR_TYPE, "index: tensor must have one element, got %lld",
                            (long long)tenon_tensor_numel(tensor));
  }
  return through(&as_index, a, PyNumber_Long);
}
