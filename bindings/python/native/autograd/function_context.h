/* SPDX-License-Identifier: Apache-2.0 */
/* The context of a call with a gradient of its own: as Python sees it, the call's node. */
#ifndef TENON_PYTHON_FUNCTION_CONTEXT_H
#define TENON_PYTHON_FUNCTION_CONTEXT_H

#include "native.h"

#define TNP_CONTEXT_ARGUMENTS 256 /* that a call may have */

#define TNP_LENGTH_TENSOR (-1) /* a tensor, or an absent one */
#define TNP_LENGTH_OTHER (-2)  /* neither tensor nor list of tensors */

/* Begins as an object without node; where the call is recorded, it becomes the node's. */
typedef struct {
  tnp_node base;
  tenon_function_context* context; /* NULL once the call is over and was not recorded */
  uint32_t nargs;
  bool in_jvp;                                  /* what is saved for forward mode is read */
  bool clears_saved;                            /* saved tensors are given once */
  uint64_t tensors[TNP_CONTEXT_ARGUMENTS / 64]; /* bit i: argument i has an edge */
  /* Of an operator's call, in memory of the context: what arguments and results are. */
  int32_t* lengths; /* of lists of tensors; TNP_LENGTH_* for others */
} tnp_context;

extern PyTypeObject* tnp_context_type; /* derived from by the classes of functions' contexts */

/* A new one for a call that begins; NULL with an exception. */
tnp_context* tnp_context_new(PyTypeObject* type, Py_ssize_t nargs);
static inline void tnp_context_set_tensor(tnp_context* self, Py_ssize_t argument) {
  self->tensors[argument / 64] |= (uint64_t)1 << (argument % 64);
}
static inline bool tnp_context_is_tensor(const tnp_context* self, Py_ssize_t argument) {
  return (self->tensors[argument / 64] >> (argument % 64) & 1) != 0;
}
/* Makes it the object of a node; takes over the reference to that. 0, or -1 with an exception. */
int tnp_context_join(tnp_context* self, tenon_node* node);
/* The context of a new node whose function's forward has just run: new reference. NULL without an
 * exception for other nodes. */
PyObject* tnp_function_of_new(tenon_node* node);
/* The context of a node that has no object yet, where one waits for it: new reference. Takes over
 * the reference to the node then. NULL without an exception where none waits. */
PyObject* tnp_context_of(tenon_node* node);
/* Lets the object wait for the node of the call, with room for `lengths`: 0, or -1 with an
 * exception. */
int tnp_context_wait(tnp_context* self, uint32_t lengths);
/* The gradients that backward returned, one for each argument of the call: `*result` itself may be
 * one. NULL with an exception when there are too few, or too many that are not None. */
PyObject** tnp_context_grads(const tenon_backward_call* call, const tnp_context* self,
                             PyObject** result);
/* Gives an edge the gradient that backward returned, a tensor or None: 0, or -1 with an exception.
 */
int tnp_context_write(const tenon_backward_call* call, int64_t edge, PyObject* grad);
/* The gradient that came to an output, None where none did; NULL with an exception. */
PyObject* tnp_context_grad(const tenon_backward_call* call, int64_t output);

int tnp_context_init(PyObject* module);
int tnp_function_init(PyObject* module);
int tnp_gradient_init(PyObject* module);

#endif
