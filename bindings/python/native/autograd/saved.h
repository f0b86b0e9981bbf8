/* SPDX-License-Identifier: Apache-2.0 */
/* Saved tensors: hooks that pack them, and what nodes have saved. */
#ifndef TENON_PYTHON_SAVED_H
#define TENON_PYTHON_SAVED_H

#include "hook.h"

/* Attributes of nodes: `_saved_NAME` and `_raw_saved_NAME` are what the node has saved. */
PyObject* tnp_node_getattr(PyObject* object, PyObject* name);
/* Names of a node's attributes, those of what it has saved among them. */
PyObject* tnp_node_dir(PyObject* object, PyObject* unused);

/* Visits, as tp_traverse does, the functions of hooks. */
int tnp_visit_saved_hooks(void* ctx, visitproc visit, void* arg);

int tnp_saved_init(PyObject* module);

#endif
