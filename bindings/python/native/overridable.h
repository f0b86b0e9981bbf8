/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions and attributes of Tensor that ask `__torch_function__` first. */
#ifndef TENON_PYTHON_OVERRIDABLE_H
#define TENON_PYTHON_OVERRIDABLE_H

#include "native.h"

/* Makes methods and attributes of Tensor, as they stand in its class, overridable. */
int tnp_cover_tensor(void);
/* An attribute of the object, else of the target that it stands for. */
PyObject* tnp_getattr_else(PyObject* object, PyObject* name, PyObject* target);
/* What __get__ is for functions: a method of the object. */
PyObject* tnp_bind_method(PyObject* self, PyObject* object, PyObject* type);
int tnp_overridable_init(PyObject* module);

#endif
