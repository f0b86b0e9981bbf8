/* SPDX-License-Identifier: Apache-2.0 */
/* Weak references to tensors, as capsules: report whether a tensor is alive in any language. */
#include "tenon/weak_tensor.h"
#include "native.h"

static const char weak_name[] = "tenon.weak_tensor";

static void release(PyObject* capsule) {
  tenon_weak_tensor_release(PyCapsule_GetPointer(capsule, weak_name));
}

/* weak_tensor(tensor): creates a weak reference to the tensor, not to its Python object. */
static PyObject* weak_tensor(PyObject* module, PyObject* object) {
  (void)module;
  if (!TNP_IS_TENSOR(object)) {
    return tnp_raise_format(TENON_ERROR_TYPE, "weak_tensor: tensor must be a Tensor, got %s",
                            Py_TYPE(object)->tp_name);
  }
  tenon_tensor* tensor = tnp_tensor_get(object);
  tenon_weak_tensor* weak = NULL;
  if (tensor == NULL || tnp_check(tenon_weak_tensor_new(tensor, &weak)) != 0) return NULL;
  PyObject* capsule = PyCapsule_New(weak, weak_name, release);
  if (capsule == NULL) tenon_weak_tensor_release(weak);
  return capsule;
}

/* weak_tensor_lives(reference): returns true if the tensor is alive. */
static PyObject* weak_tensor_lives(PyObject* module, PyObject* capsule) {
  (void)module;
  const tenon_weak_tensor* weak = PyCapsule_GetPointer(capsule, weak_name);
  if (weak == NULL) return NULL;
  tenon_tensor* tensor = tenon_weak_tensor_copy(weak);
  tenon_tensor_release(tensor);
  return PyBool_FromLong(tensor != NULL);
}

static PyMethodDef functions[] = {{"weak_tensor", weak_tensor, METH_O, NULL},
                                  {"weak_tensor_lives", weak_tensor_lives, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int tnp_weak_tensor_ready(PyObject* module) { return PyModule_AddFunctions(module, functions); }
