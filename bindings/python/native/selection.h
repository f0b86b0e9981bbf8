/* SPDX-License-Identifier: Apache-2.0 */
/* Indexing with tensors, masks and sequences, and the view steps shared with other keys. */
#ifndef TENON_PYTHON_SELECTION_H
#define TENON_PYTHON_SELECTION_H

#include "native.h"

/* Implement self[key] and self[key] = value for keys with more than ints, slices, None and
 * Ellipsis. */
PyObject* tnp_select(PyObject* self, PyObject* key);
int tnp_select_assign(PyObject* self, PyObject* key, PyObject* value);

/* subscript.c: each applies one part of a key. They consume the tensor. */
PyObject* tnp_take_select(PyObject* tensor, int64_t dim, PyObject* key);
PyObject* tnp_take_slice(PyObject* tensor, int64_t dim, PyObject* slice);
PyObject* tnp_take_unsqueeze(PyObject* tensor, int64_t dim);
/* Returns a new view of the whole tensor, for keys that select nothing. The tensor is borrowed. */
PyObject* tnp_take_all(PyObject* self, const tenon_tensor* tensor);

bool tnp_is_index(PyObject* key); /* an int, or an object with __index__ */
bool tnp_is_number(PyObject* value);
/* Converts a value to be written to `target`: sequences, and with `with_numbers` numbers, become
 * tensors of its dtype. New reference. */
PyObject* tnp_value_for(PyObject* target, PyObject* value, bool with_numbers);

/* Removes the leading dims of size 1 from a value, and consumes it. Returns non-tensors
 * unchanged. */
PyObject* tnp_without_front(PyObject* value);

#endif
