/* SPDX-License-Identifier: Apache-2.0 */
/* References to values of graphs, as Python sees them. */
#ifndef TENON_PYTHON_GRAPH_H
#define TENON_PYTHON_GRAPH_H

#include "native.h"
#include "tenon/graph.h"
#include "tenon/graph_size.h"
#include "value.h"

/* A Ref: new reference. */
PyObject* tnp_ref_object(int64_t value);
/* Whether an object is a Ref; its number. */
bool tnp_ref_get(PyObject* object, int64_t* out_value);
/* The graph of a handle, borrowed; NULL with an exception for another object. */
tenon_graph* tnp_graph_get(PyObject* object);
/* Functions on sizes and other numbers of graphs: 0, or -1 with an exception. */
int tnp_graph_size_init(PyObject* module);

/* An object as an argument or output of a graph, whose references stand for anything: 0, 1 for one
 * that is none, or -1 with an exception. */
int tnp_to_graph_value(tnp_call* call, PyObject* object, tenon_value* out);
/* Arguments of a node: a tuple, or NULL with an exception. */
PyObject* tnp_graph_arguments(const tenon_value* args, uint32_t nargs);

/* Beside graph.c: passes over graphs. */
int tnp_graph_pass_init(PyObject* module);

#endif
