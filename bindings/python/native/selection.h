/* SPDX-License-Identifier: Apache-2.0 */
/* Indexing with tensors, masks and sequences, and the steps of views that it shares with other
 * keys. */
#ifndef TENON_PYTHON_SELECTION_H
#define TENON_PYTHON_SELECTION_H

#include "native.h"

/* self[key] and self[key] = value for keys that have more than ints, slices, None and Ellipsis. */
PyObject* tnp_select(PyObject* self, PyObject* key);
int tnp_select_assign(PyObject* self, PyObject* key, PyObject* value);

/* subscript.c: one step of a key each. They consume the tensor. */
PyObject* tnp_take_select(PyObject* tensor, int64_t dim, PyObject* key);
PyObject* tnp_take_slice(PyObject* tensor, int64_t dim, PyObject* slice);
PyObject* tnp_take_unsqueeze(PyObject* tensor, int64_t dim);
/* Nothing was selected: still a new view, as everywhere else. The tensor is borrowed. */
PyObject* tnp_take_all(PyObject* self, const tenon_tensor* tensor);

bool tnp_is_index(PyObject* key); /* an int, or what stands for one */
bool tnp_is_number(PyObject* value);
/* A value that is written to `target`: sequences, and numbers where asked, as tensors of its dtype.
 * New reference. */
PyObject* tnp_value_for(PyObject* target, PyObject* value, bool with_numbers);

/* A value without the dims of size 1 that it has in front; consumes it. What is no tensor stays. */
PyObject* tnp_without_front(PyObject* value);

#endif
