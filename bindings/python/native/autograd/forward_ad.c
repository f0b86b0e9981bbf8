/* SPDX-License-Identifier: Apache-2.0 */
/* Forward mode: creates and unpacks dual tensors. */
#include "native.h"

/* Returns the tensor of an object, borrowed; NULL with an exception for other objects. */
static tenon_tensor* read_tensor(const char* what, PyObject* object) {
  if (TNP_IS_TENSOR(object)) return tnp_tensor_get(object);
  tnp_raise_format(TENON_ERROR_TYPE, "%s must be Tensor, got %s", what, Py_TYPE(object)->tp_name);
  return NULL;
}

static PyObject* dual_make(PyObject* module, PyObject* args) {
  (void)module;
  long long level;
  PyObject *primal, *tangent;
  if (!PyArg_ParseTuple(args, "LOO", &level, &primal, &tangent)) return NULL;
  tenon_tensor* of = read_tensor("make_dual: tensor", primal);
  tenon_tensor* given = of != NULL ? read_tensor("make_dual: tangent", tangent) : NULL;
  if (given == NULL) return NULL;
  tenon_tensor* dual = NULL;
  if (tnp_check(tenon_dual_make(level, of, given, &dual)) != 0) return NULL;
  return tnp_tensor_wrap(dual);
}

static PyObject* dual_unpack(PyObject* module, PyObject* args) {
  (void)module;
  long long level;
  PyObject* dual;
  if (!PyArg_ParseTuple(args, "LO", &level, &dual)) return NULL;
  tenon_tensor* tensor = read_tensor("unpack_dual: tensor", dual);
  if (tensor == NULL) return NULL;
  tenon_tensor *primal = NULL, *tangent = NULL;
  if (tnp_check(tenon_dual_unpack(level, tensor, &primal, &tangent)) != 0) return NULL;
  PyObject* first = tnp_tensor_wrap(primal);
  PyObject* second = NULL;
  if (first == NULL) {
    tenon_tensor_release(tangent);
  } else {
    second = tangent != NULL ? tnp_tensor_wrap(tangent) : Py_NewRef(Py_None);
  }
  PyObject* pair = second != NULL ? PyTuple_Pack(2, first, second) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return pair;
}

static PyMethodDef functions[] = {
    {"dual_make", dual_make, METH_VARARGS,
     "dual_make(level, tensor, tangent, /)\n--\n\nReturns a view that has a tangent."},
    {"dual_unpack", dual_unpack, METH_VARARGS,
     "dual_unpack(level, tensor, /)\n--\n\nReturns a tensor without tangent, and that or None."},
    {NULL, NULL, 0, NULL}};

int tnp_forward_ad_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
