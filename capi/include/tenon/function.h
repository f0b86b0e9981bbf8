/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with gradients of their own: forward and backward in one, recorded as one node. */
#ifndef TENON_FUNCTION_H
#define TENON_FUNCTION_H

#include "tenon/autograd.h"
#include "tenon/common.h"
#include "tenon/object.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_function_type type = {sizeof type};
//   tenon_object* square = NULL;
//   type.name = "Square";
//   type.language = TENON_LANGUAGE_C;
//   type.forward = forward;
//   type.backward = backward;
//   status = tenon_function_new(&type, &square);
//   if (!status) status = tenon_function_apply(square, &arg, 1, &ret);
//   tenon_object_release(square);

TENON_BEGIN_DECLS

/* ---- Functions -------------------------------------------------------------------------- */

#define TENON_FUNCTION_ONCE_DIFFERENTIABLE 1u /* a gradient must not be derived again */
#define TENON_FUNCTION_SAVED_ON_DEMAND 2u     /* backward asks the context, `saved` is empty */
/* In nested transforms only the innermost one records a call: the binding of the function's
 * language makes the calls at the levels below. */
#define TENON_FUNCTION_ONE_LEVEL 4u

/* Computes results from the arguments, in no_grad mode: rets[0] is a tensor, a list of tensors, a
 * tuple whose tensors are outputs, or anything else, which has no gradient. `context` is NULL for a
 * function with `setup`. Returns TENON_OK, or a code with the error in the thread's slot. */
typedef tenon_status (*tenon_forward_fn)(void* ctx, tenon_function_context* context,
                                         tenon_stack* stack);

/* A function to make. Texts are copied. Backward's inputs are the arguments in order; those that
 * are no tensors have no gradient. Its outputs are the elements of the result. */
typedef struct tenon_function_type {
  uint32_t struct_size;     /* sizeof(tenon_function_type) */
  uint32_t flags;           /* TENON_FUNCTION_* */
  const char* name;         /* nodes are called this and "Backward" */
  tenon_forward_fn forward; /* NULL: calls are begun and finished by their language */
  tenon_setup_fn setup;     /* NULL: forward gets the context */
  tenon_backward_fn backward;
  tenon_jvp_fn jvp; /* NULL: not in forward mode */
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also on failure; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number */
  uint32_t reserved0;    /* zero */
  uint64_t reserved[6];  /* zero */
} tenon_function_type;

/// Makes a function: an object that can be called (TENON_TAG_FUNCTION), with one result.
///
/// Errors:    TENON_ERROR_ABI for a bad struct_size, TENON_ERROR_INVALID_ARGUMENT for a bad
///            description, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure; nodes keep it beyond the object's end.
///            `out_function` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_new(const tenon_function_type* type,
                                          tenon_object** out_function);

/// Applies a function: runs its forward, and records it as one node where gradients flow to an
/// argument. An argument that forward returns as it is becomes an alias, unless it was marked
/// dirty.
///
/// Errors:    TENON_ERROR_TYPE for an object that tenon_function_new has not made, or without
///            forward,
///            TENON_ERROR_STATE for a dirty tensor that is not returned, or must not be written,
///            and what forward or setup raised.
/// Ownership: arguments are borrowed; the caller clears `out_result`.
/// Threads:   any thread; *blocks* where the function may.
/// Since:     0.1
TENON_API tenon_status tenon_function_apply(tenon_object* function, const tenon_value* args,
                                            int64_t nargs, tenon_value* out_result);

/// The first half of tenon_function_apply, for a language that calls its own forward with objects
/// of its own: looks where gradients flow. Inputs are tensors, or NULL. The caller then runs
/// forward in no_grad mode, and finishes or cancels. Of the type only what concerns backward is
/// used.
///
/// Errors:    as tenon_function_apply, but what forward raises.
/// Ownership: inputs outlive the context's finish or cancel. `out_context` is the caller's until
///            tenon_function_finish or tenon_function_cancel takes it.
/// Threads:   any thread, which then finishes or cancels.
/// Since:     0.1
TENON_API tenon_status tenon_function_begin(tenon_object* function, tenon_tensor* const* inputs,
                                            int64_t ninputs, tenon_function_context** out_context);

/// The second half: records the call, if gradients flow to an input, and links the outputs to the
/// node. An output may be replaced by an alias; NULL stands for one that is no tensor. The context
/// is the node's then; without one it has ended.
///
/// Errors:    as tenon_function_apply. The context has ended then, the outputs are still owned.
/// Ownership: takes the context. `outputs` are owned by the caller before and after; `out_node` is
///            owned by the caller, NULL where nothing was recorded.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_finish(tenon_function_context* context,
                                             tenon_tensor** outputs, int64_t noutputs,
                                             tenon_node** out_node);

/// Ends a context whose forward has failed.
///
/// Ownership: takes the context; NULL is accepted.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void tenon_function_cancel(tenon_function_context* context);

/* ---- Contexts --------------------------------------------------------------------------- */

/// Returns the context of a node: of a function, or of an operator whose formula has a setup; NULL
/// for others.
///
/// Ownership: borrowed from the node.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_function_context* tenon_function_context_of(const tenon_node* node);

/// Returns how many inputs the call has: a function's arguments, or an operator's tensor arguments,
/// the elements of a list one by one. jvp gets that many tangents.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_function_context_input_count(const tenon_function_context* context);

/// Returns how many outputs the call has, for which jvp gives tangents; 0 before jvp and backward.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_function_context_output_count(const tenon_function_context* context);

/// Saves values for backward, in place of what was saved before. Of tensors the version is noted
/// when the call has been recorded; inputs and results stay what they are to the graph. Other
/// values are copied.
///
/// Errors:    TENON_ERROR_STATE once the call is recorded, TENON_ERROR_INVALID_ARGUMENT for a bad
///            value, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: values are borrowed.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_save(tenon_function_context* context,
                                                   const tenon_value* values, int64_t count);

/// Returns how many values are saved.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_function_context_saved_count(const tenon_function_context* context);

/// Gives a saved value: a tensor as it was to the graph, an absent one as NONE.
///
/// Errors:    TENON_ERROR_STATE for a tensor that was written since, and for what a backward pass
///            has freed; TENON_ERROR_INDEX.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_copy_saved(const tenon_function_context* context,
                                                         int64_t index, tenon_value* out_value);

/// Frees what is saved, as a backward pass does that does not keep the graph.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_function_context_drop_saved(tenon_function_context* context);

/// Tells whether gradients flow to an input; 0 for a number that is none.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_function_context_needs_grad(const tenon_function_context* context,
                                                    int64_t input);

/// Says that forward has written an input in place. It has to return it.
///
/// Errors:    TENON_ERROR_STATE once the call is recorded, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `tensor` is borrowed, and outlives the call.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_mark_dirty(tenon_function_context* context,
                                                         tenon_tensor* tensor);

/// Says that an output has no gradient.
///
/// Errors:    TENON_ERROR_STATE once the call is recorded, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `tensor` is borrowed, and outlives the call.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_mark_non_differentiable(
    tenon_function_context* context, tenon_tensor* tensor);

/// Says whether backward gets zeros (1, as at first) or NULL (0) for outputs that no gradient came
/// to.
///
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void tenon_function_context_set_materialize_grads(tenon_function_context* context,
                                                            int32_t materialize);

/// Says in backward that the gradients it gives must not be derived again, as
/// TENON_FUNCTION_ONCE_DIFFERENTIABLE does for all calls.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_function_context_set_once_differentiable(tenon_function_context* context);

/// Gives the context an object of the caller's language to keep, in place of the one that it has,
/// whose deleter runs. It ends with the node.
///
/// Ownership: takes over `state`: the deleter (may be NULL) runs once, on any thread.
/// Threads:   any thread, one at a time.
/// Since:     0.1
TENON_API void tenon_function_context_set_state(tenon_function_context* context, void* state,
                                                tenon_deleter deleter);

/// Returns that object; NULL without one, and for a context of another language's function.
///
/// Ownership: borrowed from the context.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_function_context_state(const tenon_function_context* context,
                                             uint32_t language);

TENON_END_DECLS

#endif /* TENON_FUNCTION_H */
