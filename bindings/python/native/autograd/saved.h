/* SPDX-License-Identifier: Apache-2.0 */
/* Saved tensors: pack hooks, and access to the saved values of nodes. */
#ifndef TENON_PYTHON_SAVED_H
#define TENON_PYTHON_SAVED_H

#include "hook.h"

/* Returns an attribute of a node: `_saved_NAME` and `_raw_saved_NAME` are its saved values. */
PyObject* tnp_node_getattr(PyObject* object, PyObject* name);
/* Returns the names of a node's attributes, including its saved values. */
PyObject* tnp_node_dir(PyObject* object, PyObject* unused);

/* Visits the functions of hooks, as in tp_traverse. */
int tnp_visit_saved_hooks(void* ctx, visitproc visit, void* arg);

int tnp_saved_init(PyObject* module);

#endif
