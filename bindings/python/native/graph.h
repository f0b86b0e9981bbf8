/* SPDX-License-Identifier: Apache-2.0 */
/* References to values of graphs, as Python sees them. */
#ifndef TENON_PYTHON_GRAPH_H
#define TENON_PYTHON_GRAPH_H

#include "native.h"

/* A Ref: new reference. */
PyObject* tnp_ref_object(int64_t value);

#endif
