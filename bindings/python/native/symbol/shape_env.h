/* SPDX-License-Identifier: Apache-2.0 */
/* ShapeEnv objects. */
#ifndef TENON_PYTHON_SHAPE_ENV_H
#define TENON_PYTHON_SHAPE_ENV_H

#include "native.h"
#include "tenon/symbol.h"

/* Returns the environment of a ShapeEnv, borrowed; NULL with an exception for another object. */
tenon_shape_env* tnp_shape_env_get(PyObject* object);
/* Creates a ShapeEnv; takes over the reference. */
PyObject* tnp_shape_env_wrap(tenon_shape_env* env);
/* Adds the type to the module. Returns 0, or -1 with an exception. */
int tnp_shape_env_ready(PyObject* module);

#endif
