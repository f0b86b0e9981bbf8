/* SPDX-License-Identifier: Apache-2.0 */
/* References to graph values, as Python objects. */
#ifndef TENON_PYTHON_GRAPH_H
#define TENON_PYTHON_GRAPH_H

#include "native.h"
#include "tenon/graph.h"
#include "tenon/graph_size.h"
#include "value.h"

/* Creates a Ref: new reference. */
PyObject* tnp_ref_object(int64_t value);
/* Returns true if the object is a Ref, and stores its number. */
bool tnp_ref_get(PyObject* object, int64_t* out_value);
/* Returns the graph of a handle, borrowed; NULL with an exception for another object. */
tenon_graph* tnp_graph_get(PyObject* object);
/* Adds the functions on sizes and other numbers of graphs. Returns 0, or -1 with an exception. */
int tnp_graph_size_init(PyObject* module);

/* Converts an object to an argument or output of a graph; a Ref is accepted for any type. Returns
 * 0, 1 if the object does not convert, or -1 with an exception. */
int tnp_to_graph_value(tnp_call* call, PyObject* object, tenon_value* out);
/* Returns the arguments of a node as a tuple, or NULL with an exception. */
PyObject* tnp_graph_arguments(const tenon_value* args, uint32_t nargs);

/* graph_pass.c: adds the functions for passes over graphs. */
int tnp_graph_pass_init(PyObject* module);

#endif
