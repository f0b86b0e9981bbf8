/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions and attributes of Tensor that call `__torch_function__` handlers first. */
#ifndef TENON_PYTHON_OVERRIDABLE_H
#define TENON_PYTHON_OVERRIDABLE_H

#include "native.h"

/* Makes the methods and attributes of the class Tensor overridable. */
int tnp_make_tensor_overridable(void);
/* Looks up an attribute on the object, then on its target. */
PyObject* tnp_getattr_else(PyObject* object, PyObject* name, PyObject* target);
/* Implements `__get__` as functions do: binds a method to the object. */
PyObject* tnp_bind_method(PyObject* self, PyObject* object, PyObject* type);
int tnp_overridable_init(PyObject* module);

#endif
