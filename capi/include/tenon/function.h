/* SPDX-License-Identifier: Apache-2.0 */
/* Custom functions: forward and backward in one object, recorded as one node. */
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

#define TENON_FUNCTION_ONCE_DIFFERENTIABLE 1u /* gradients cannot be differentiated again */
#define TENON_FUNCTION_SAVED_ON_DEMAND 2u     /* backward reads the context; `saved` is empty */
/* In nested transforms only the innermost one records a call. The binding of the function's
 * language makes the calls at the levels below. */
#define TENON_FUNCTION_ONE_LEVEL 4u

/* Computes results from the arguments, in no_grad mode. rets[0] is a tensor, a list of tensors, a
 * tuple whose tensors are outputs, or any other value, which has no gradient. `context` is NULL for
 * a function with `setup`. Returns TENON_OK, or a code with the error in the thread's slot. */
typedef tenon_status (*tenon_forward_fn)(void* ctx, tenon_function_context* context,
                                         tenon_stack* stack);

/* Describes a function. Texts are copied. The inputs of `backward` are the arguments in order;
 * arguments that are no tensors have no gradient. Its outputs are the elements of the result. */
typedef struct tenon_function_type {
  uint32_t struct_size;     /* sizeof(tenon_function_type) */
  uint32_t flags;           /* TENON_FUNCTION_* */
  const char* name;         /* nodes are named after it, with "Backward" appended */
  tenon_forward_fn forward; /* NULL: the language begins and finishes calls itself */
  tenon_setup_fn setup;     /* NULL: forward receives the context */
  tenon_backward_fn backward;
  tenon_jvp_fn jvp; /* NULL: no support for forward mode */
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also on failure; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number */
  uint32_t reserved0;    /* zero */
  uint64_t reserved[6];  /* zero */
} tenon_function_type;

/// Creates a function: a callable object (TENON_TAG_FUNCTION) with one result.
///
/// Errors:    TENON_ERROR_ABI for a bad struct_size, TENON_ERROR_INVALID_ARGUMENT for a bad
///            description, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure; nodes may keep it longer than the object lives.
///            `out_function` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_new(const tenon_function_type* type,
                                          tenon_object** out_function);

/// Applies a function: runs its forward, and records it as one node if gradients flow to an
/// argument. If forward returns an argument unchanged, the result is an alias of it, unless the
/// argument was marked dirty.
///
/// Errors:    TENON_ERROR_TYPE for an object that was not made by tenon_function_new, or that has
///            no forward, TENON_ERROR_STATE for a dirty tensor that is not returned, or must not be
///            written, and what forward or setup raised.
/// Ownership: arguments are borrowed; the caller clears `out_result`.
/// Threads:   any thread; *blocks* if the function does.
/// Since:     0.1
TENON_API tenon_status tenon_function_apply(tenon_object* function, const tenon_value* args,
                                            int64_t nargs, tenon_value* out_result);

/// Performs the first half of tenon_function_apply, for a language that calls its own forward
/// function with its own objects: determines which inputs need gradients. Inputs are tensors or
/// NULL. The caller then runs forward in no_grad mode, and calls tenon_function_finish or
/// tenon_function_cancel. Only those fields of the type that concern backward are used.
///
/// Errors:    as tenon_function_apply, except for errors of forward.
/// Ownership: inputs must outlive tenon_function_finish or tenon_function_cancel. The caller owns
///            `out_context` until one of these takes it.
/// Threads:   any thread; finish or cancel must be called on the same thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_begin(tenon_object* function, tenon_tensor* const* inputs,
                                            int64_t ninputs, tenon_function_context** out_context);

/// Performs the second half: records the call if gradients flow to an input, and links the outputs
/// to the node. An output may be replaced by an alias; outputs that are no tensors are NULL. The
/// node then owns the context. If nothing is recorded, the context is freed.
///
/// Errors:    as tenon_function_apply. The context is freed, and the caller still owns the outputs.
/// Ownership: takes the context. `outputs` are owned by the caller before and after; `out_node` is
///            owned by the caller, and NULL if nothing was recorded.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_finish(tenon_function_context* context,
                                             tenon_tensor** outputs, int64_t noutputs,
                                             tenon_node** out_node);

/// Frees a context whose forward has failed.
///
/// Ownership: takes the context; NULL is accepted.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void tenon_function_cancel(tenon_function_context* context);

/* ---- Contexts --------------------------------------------------------------------------- */

/// Returns the context of a node of a function, or of an operator whose formula has a `setup`.
/// Returns NULL for other nodes.
///
/// Ownership: borrowed from the node.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_function_context* tenon_function_context_of(const tenon_node* node);

/// Returns the number of inputs of the call: a function's arguments, or an operator's tensor
/// arguments with the elements of lists counted separately. jvp receives one tangent for each.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_function_context_input_count(const tenon_function_context* context);

/// Returns the number of outputs of the call, for which jvp returns tangents; 0 before jvp and
/// backward.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_function_context_output_count(const tenon_function_context* context);

/// Saves values for backward and replaces those that were saved before. Versions of tensors are
/// stored when the call has been recorded. Inputs and results keep their place in the backward
/// graph. Other values are copied.
///
/// Errors:    TENON_ERROR_STATE once the call is recorded, TENON_ERROR_INVALID_ARGUMENT for a bad
///            value, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: values are borrowed.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_save(tenon_function_context* context,
                                                   const tenon_value* values, int64_t count);

/// Returns the number of saved values.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_function_context_saved_count(const tenon_function_context* context);

/// Returns a saved value. A tensor has its place in the backward graph again; an absent one is
/// NONE.
///
/// Errors:    TENON_ERROR_STATE for a tensor that was written since, and if a backward pass has
///            freed the value; TENON_ERROR_INDEX.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_copy_saved(const tenon_function_context* context,
                                                         int64_t index, tenon_value* out_value);

/// Frees the saved values, as a backward pass that does not keep the graph does.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_function_context_drop_saved(tenon_function_context* context);

/// Returns 1 if gradients flow to an input, otherwise 0, also if `input` is out of range.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_function_context_needs_grad(const tenon_function_context* context,
                                                    int64_t input);

/// Marks an input as written in place by forward, which must return it.
///
/// Errors:    TENON_ERROR_STATE once the call is recorded, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `tensor` is borrowed, and must outlive the call.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_mark_dirty(tenon_function_context* context,
                                                         tenon_tensor* tensor);

/// Marks an output as having no gradient.
///
/// Errors:    TENON_ERROR_STATE once the call is recorded, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `tensor` is borrowed, and must outlive the call.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_function_context_mark_non_differentiable(
    tenon_function_context* context, tenon_tensor* tensor);

/// Sets whether backward receives zeros (1, the default) or NULL (0) for outputs without gradient.
///
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void tenon_function_context_set_materialize_grads(tenon_function_context* context,
                                                            int32_t materialize);

/// Forbids differentiating the gradients that the running backward function returns, as
/// TENON_FUNCTION_ONCE_DIFFERENTIABLE does for all calls.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_function_context_set_once_differentiable(tenon_function_context* context);

/// Sets the object of the caller's language that the context keeps, and runs the deleter of the
/// previous one. The object is freed with the node.
///
/// Ownership: takes over `state`: the deleter (may be NULL) runs once, on any thread.
/// Threads:   any thread, one at a time.
/// Since:     0.1
TENON_API void tenon_function_context_set_state(tenon_function_context* context, void* state,
                                                tenon_deleter deleter);

/// Returns the object of tenon_function_context_set_state, or NULL if there is none or the function
/// belongs to another language.
///
/// Ownership: borrowed from the context.
/// Threads:   any thread.
/// Since:     0.1
TENON_API void* tenon_function_context_state(const tenon_function_context* context,
                                             uint32_t language);

TENON_END_DECLS

#endif /* TENON_FUNCTION_H */
