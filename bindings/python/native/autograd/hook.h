/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: Python functions called during backward passes. */
#ifndef TENON_PYTHON_HOOK_H
#define TENON_PYTHON_HOOK_H

#include "native.h"

/* Methods of Tensor and Node: each takes a function and returns a handle. */
PyObject* tnp_tensor_register_hook(PyObject* self, PyObject* function);
PyObject* tnp_tensor_register_accumulated(PyObject* self, PyObject* function);
PyObject* tnp_node_register_hook(PyObject* self, PyObject* function);
PyObject* tnp_node_register_prehook(PyObject* self, PyObject* function);

/* Returns the object of a tensor for a hook: None for NULL, the wrapper's object for a wrapper. */
PyObject* tnp_grad_object(tenon_tensor* tensor);
/* Converts the result of a hook, owned; NULL for None. Returns 0, or -1 with an exception that
 * names `what`. */
int tnp_take_tensor(const char* what, PyObject* object, tenon_tensor** out_tensor);

/* Arguments for visiting, as in tp_traverse, objects that only C keeps for a tensor or node. */
typedef struct {
  visitproc visit;
  void* arg;
} tnp_visitor;
int32_t tnp_visit_owned(void* visitor, uint32_t kind, void* object);

int tnp_hook_init(PyObject* module);

#endif
