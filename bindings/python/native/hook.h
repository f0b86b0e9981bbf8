/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: Python's functions that run as gradients flow. */
#ifndef TENON_PYTHON_HOOK_H
#define TENON_PYTHON_HOOK_H

#include "native.h"

/* Methods of Tensor and Node: each takes the function and returns a handle. */
PyObject* tnp_tensor_register_hook(PyObject* self, PyObject* function);
PyObject* tnp_tensor_register_accumulated(PyObject* self, PyObject* function);
PyObject* tnp_node_register_hook(PyObject* self, PyObject* function);
PyObject* tnp_node_register_prehook(PyObject* self, PyObject* function);

int tnp_hook_init(PyObject* module);

#endif
