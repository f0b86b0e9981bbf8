/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient checks: compare derivatives computed by autograd with numerical differences. */
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

/* A function of any language. It receives the arguments in the stack and returns one result: a
 * tensor, or a list or tuple with tensors (other elements are ignored). It returns TENON_OK, or a
 * code with the error in the stack or in the thread's slot. */
typedef tenon_status (*tenon_callable)(void* ctx, tenon_stack* stack);

#define TENON_GRADCHECK_BACKWARD 1u /* gradients of backward passes */
#define TENON_GRADCHECK_FORWARD 2u  /* derivatives of forward mode */
/* Checks that undefined gradients of outputs count as zero: all of them at once, and each one while
 * the others are zeros. */
#define TENON_GRADCHECK_UNDEFINED 4u
/* Checks that the gradient of a sum of output gradients is the sum of their gradients, which
 * batched gradients require. */
#define TENON_GRADCHECK_BATCHED 8u
#define TENON_GRADCHECK_BATCHED_FORWARD 16u /* the same check for tangents */
#define TENON_GRADCHECK_DTYPES 32u          /* checks that gradients have their input's dtype */
/* Compares products with random vectors first, and whole Jacobians only if those differ. */
#define TENON_GRADCHECK_FAST 64u
/* For tenon_gradgradcheck: the random gradients of outputs are not contiguous. */
#define TENON_GRADCHECK_STRIDED_GRADS 128u

/* Options of a gradient check. A zero field has no default. If the options are NULL, they are
 * BACKWARD, UNDEFINED, eps 1e-6, atol 1e-5, rtol 1e-3 and nondet_tol 0. */
typedef struct tenon_gradcheck_options {
  uint32_t struct_size; /* sizeof(tenon_gradcheck_options) */
  uint32_t flags;       /* TENON_GRADCHECK_*, with at least one of BACKWARD and FORWARD */
  double eps;           /* step by which an element is changed in both directions; above 0 */
  double atol;          /* a derivative may be off by atol + rtol * |difference quotient| */
  double rtol;
  double nondet_tol;    /* tolerated difference of two passes with the same gradient */
  uint64_t reserved[4]; /* zero */
} tenon_gradcheck_options;

/// Compares the gradients of a function with numerical differences of its outputs, for each element
/// of each input tensor that requires grad; complex elements along both axes. The function is
/// called many times and must be deterministic. Elements of inputs are changed in place during the
/// check. It also checks that two passes return the same gradients, and that zero gradients of
/// outputs give zero gradients. `out_report` is NULL if all checks pass. Otherwise it is a text on
/// the first failure: which output, input and element, both numbers, and the likely mistake.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for bad options, no input that requires grad, one that
///            overlaps itself or cannot be written, and functions whose outputs are no tensors or
///            change in number or size; TENON_ERROR_STATE for FORWARD inside of a dual level; what
///            the function, a formula or a warning's handler raised.
/// Ownership: inputs are borrowed; new reference in `out_report`.
/// Threads:   any thread; *blocks*. The function runs on the calling thread. No other thread may
///            use the inputs during the check.
/// Since:     0.1
TENON_API tenon_status tenon_gradcheck(tenon_callable function, void* ctx,
                                       const tenon_value* inputs, int64_t ninputs,
                                       const tenon_gradcheck_options* options,
                                       tenon_buffer** out_report);

/// Performs the same check for the gradients of a function's gradients, with respect to its inputs
/// and to the gradients of its outputs. The latter are `grad_outputs`, one for each output that
/// requires grad (NULL: an undefined gradient), or random if `ngrad_outputs` is 0.
///
/// Errors:    as tenon_gradcheck; TENON_ERROR_INVALID_ARGUMENT and TENON_ERROR_TYPE if
///            `grad_outputs` do not match the outputs in number, size or dtype.
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
