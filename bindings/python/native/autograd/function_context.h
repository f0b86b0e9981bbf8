/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a custom function's call, which is also the Python object of the call's node. */
#ifndef TENON_PYTHON_FUNCTION_CONTEXT_H
#define TENON_PYTHON_FUNCTION_CONTEXT_H

#include "native.h"

#define TNP_CONTEXT_ARGUMENTS 256 /* maximum number of arguments of a call */

#define TNP_LENGTH_TENSOR (-1) /* a tensor, or an absent one */
#define TNP_LENGTH_OTHER (-2)  /* neither tensor nor list of tensors */

/* Starts as an object without a node; becomes the node's object if the call is recorded. */
typedef struct {
  tnp_node base;
  tenon_function_context* context; /* NULL if the call has ended without being recorded */
  uint32_t nargs;
  bool in_jvp;                                  /* reads what was saved for forward mode */
  bool clears_saved;                            /* saved tensors can be read only once */
  uint64_t tensors[TNP_CONTEXT_ARGUMENTS / 64]; /* bit i: argument i has an edge */
  /* For an operator's call: the kinds of its arguments and results, in the context's memory. */
  int32_t* lengths; /* of lists of tensors; TNP_LENGTH_* for others */
} tnp_context;

extern PyTypeObject* tnp_context_type; /* base class of the functions' context classes */

/* Creates the context of a new call; NULL with an exception. */
tnp_context* tnp_context_new(PyTypeObject* type, Py_ssize_t nargs);
static inline void tnp_context_set_tensor(tnp_context* self, Py_ssize_t argument) {
  self->tensors[argument / 64] |= (uint64_t)1 << (argument % 64);
}
static inline bool tnp_context_is_tensor(const tnp_context* self, Py_ssize_t argument) {
  return (self->tensors[argument / 64] >> (argument % 64) & 1) != 0;
}
/* Makes the context the object of a node; takes over the reference to the node. Returns 0, or -1
 * with an exception. */
int tnp_context_join(tnp_context* self, tenon_node* node);
/* Returns the context of a new node whose function's forward has just run, a new reference. Returns
 * NULL without an exception for other nodes. */
PyObject* tnp_function_of_new(tenon_node* node);
/* Returns the pending context of a node that has no object yet, a new reference, and takes over the
 * reference to the node. Returns NULL without an exception if there is no pending context. */
PyObject* tnp_context_of(tenon_node* node);
/* Stores the context with the call until its node's object is requested, with room for `lengths`.
 * Returns 0, or -1 with an exception. */
int tnp_context_wait(tnp_context* self, uint32_t lengths);
/* Returns the gradients that backward returned, one per argument of the call; a single gradient may
 * be `*result` itself. NULL with an exception if there are too few, or surplus ones other than
 * None. */
PyObject** tnp_context_grads(const tenon_backward_call* call, const tnp_context* self,
                             PyObject** result);
/* Stores the gradient that backward returned, a tensor or None, for an edge. Returns 0, or -1 with
 * an exception. */
int tnp_context_write(const tenon_backward_call* call, int64_t edge, PyObject* grad);
/* Returns the gradient of an output, None if there is none; NULL with an exception. */
PyObject* tnp_context_grad(const tenon_backward_call* call, int64_t output);

int tnp_context_init(PyObject* module);
int tnp_function_init(PyObject* module);
int tnp_gradient_init(PyObject* module);

#endif
