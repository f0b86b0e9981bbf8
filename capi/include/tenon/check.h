/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of gradients: those that backward passes give beside differences of the function. */
#ifndef TENON_CHECK_H
#define TENON_CHECK_H

#include "tenon/buffer.h"
#include "tenon/common.h"
#include "tenon/value.h"

// Usage:
//
//   /* function(ctx, stack) computes results from stack->args, as a kernel does. */
//   tenon_buffer* report = NULL;
//   status = tenon_gradcheck(function, ctx, &arg, 1, NULL, &report);
//   if (!status && report != NULL) puts((const char*)tenon_buffer_data(report));
//   tenon_buffer_release(report);

TENON_BEGIN_DECLS

/* A function of any language: takes the stack's arguments and gives one result, a tensor or a list
 * or tuple of them (what else is in these is left out). Returns TENON_OK, or a code with the error
 * in the stack or in the thread's slot. */
typedef tenon_status (*tenon_callable)(void* ctx, tenon_stack* stack);

#define TENON_GRADCHECK_BACKWARD 1u /* gradients of backward passes */
#define TENON_GRADCHECK_FORWARD 2u  /* derivatives of forward mode */
/* Undefined gradients of outputs count as zero, all of them, and each beside zeros. */
#define TENON_GRADCHECK_UNDEFINED 4u
/* Gradients add up, which batches of gradients need. */
#define TENON_GRADCHECK_BATCHED 8u
#define TENON_GRADCHECK_BATCHED_FORWARD 16u /* the same of tangents */
#define TENON_GRADCHECK_DTYPES 32u          /* gradients are of their input's dtype */
/* Compares products with random vectors first, and whole Jacobians where these differ. */
#define TENON_GRADCHECK_FAST 64u
/* tenon_gradgradcheck: gradients of outputs made there have gaps in memory. */
#define TENON_GRADCHECK_STRIDED_GRADS 128u

/* What is checked and how. Each field is taken as it is: NULL options are BACKWARD, UNDEFINED, eps
 * 1e-6, atol 1e-5, rtol 1e-3 and nondet_tol 0. */
typedef struct tenon_gradcheck_options {
  uint32_t struct_size; /* sizeof(tenon_gradcheck_options) */
  uint32_t flags;       /* TENON_GRADCHECK_*, of BACKWARD and FORWARD at least one */
  double eps;           /* by which an element moves to both sides; above 0 */
  double atol;          /* a derivative may be off by atol + rtol * |difference quotient| */
  double rtol;
  double nondet_tol;    /* by how much two passes with the same gradient may differ */
  uint64_t reserved[4]; /* zero */
} tenon_gradcheck_options;

/// Compares the gradients of a function with differences of its outputs, for each input that is a
/// tensor which requires grad, by each of its elements; complex ones along both axes. The function
/// runs many times, and must always give the same; elements of inputs are changed in place
/// meanwhile. Checked are also that a pass gives the same twice, and that gradients of zero give
/// zero. `out_report` is NULL where all is right; else a text on the first thing that is not: which
/// output, input and element, both numbers, and what mistake it looks like.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for bad options, no input that requires grad, one that
///            overlaps itself or cannot be written, and functions whose outputs are no tensors or
///            change in number or size; TENON_ERROR_STATE for FORWARD inside of a dual level; what
///            the function, a formula or a warning's handler raised.
/// Ownership: inputs are borrowed; new reference in `out_report`.
/// Threads:   any thread; *blocks*. The function runs on the calling thread. Nobody else uses the
///            inputs meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_gradcheck(tenon_callable function, void* ctx,
                                       const tenon_value* inputs, int64_t ninputs,
                                       const tenon_gradcheck_options* options,
                                       tenon_buffer** out_report);

/// Does the same for the gradients of the function's gradients, by the inputs and by the gradients
/// of the outputs. These are `grad_outputs`, one for each output that requires grad (NULL: an
/// undefined one), or made at random where `ngrad_outputs` is 0.
///
/// Errors:    as tenon_gradcheck; TENON_ERROR_INVALID_ARGUMENT and TENON_ERROR_TYPE for
///            `grad_outputs` of another number, size or dtype than the outputs.
/// Ownership: inputs and `grad_outputs` are borrowed; new reference in `out_report`.
/// Threads:   any thread; *blocks*, as tenon_gradcheck.
/// Since:     0.1
TENON_API tenon_status tenon_gradgradcheck(tenon_callable function, void* ctx,
                                           const tenon_value* inputs, int64_t ninputs,
                                           tenon_tensor* const* grad_outputs, int64_t ngrad_outputs,
                                           const tenon_gradcheck_options* options,
                                           tenon_buffer** out_report);

TENON_END_DECLS

#endif /* TENON_CHECK_H */
