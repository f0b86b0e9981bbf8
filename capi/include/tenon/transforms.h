/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms: vmap, grad and jvp as layers that nest in any order; batching rules; whole functions.
 * */
#ifndef TENON_TRANSFORMS_H
#define TENON_TRANSFORMS_H

#include "tenon/check.h"
#include "tenon/common.h"
#include "tenon/library.h"
#include "tenon/object.h"
#include "tenon/tensor.h"
#include "tenon/value.h"

// Usage:
//
//   /* function(ctx, stack) computes results from stack->args, as a kernel does. */
//   const int64_t first_dim = 0;
//   tenon_vmap_options options = {sizeof options, TENON_RANDOMNESS_ERROR};
//   options.in_dims = options.out_dims = &first_dim;
//   options.nin_dims = options.nout_dims = 1;
//   status = tenon_vmap(function, ctx, &options, stack);

TENON_BEGIN_DECLS

/* A transform is a layer on the calling thread's stack from the time it is entered until it is
 * left. Operators that are called in between are handled by the innermost layer, which works with
 * its own tensors: those of a vmap hide a dim, those of a grad require grad at that layer, and
 * those of a jvp have tangents. The calls that a layer makes are handled by the next outer layer.
 * All other tensors are constants to a layer.
 *
 * A tensor of a grad or jvp that outlives its layer is used as the tensor below; a tensor of a vmap
 * must not be used any more. Thread states carry layers. */

/* ---- Layers ----------------------------------------------------------------------------- */

typedef struct tenon_layer tenon_layer; /* refcounted; remains a valid handle after the layer has
                                         * ended */

#define TENON_LAYER_VMAP 0u
#define TENON_LAYER_GRAD 1u
#define TENON_LAYER_JVP 2u
#define TENON_LAYER_OTHER 3u

/* Behaviour of a random operator in a vmap. */
#define TENON_RANDOMNESS_ERROR 0u     /* it fails */
#define TENON_RANDOMNESS_SAME 1u      /* it returns the same numbers for all examples */
#define TENON_RANDOMNESS_DIFFERENT 2u /* it returns different numbers for each example */

/* The in_dim or out_dim of a value that is not mapped. */
#define TENON_DIM_NONE (-1000)

/// Enters a vmap over a dim of size `size`.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative size and an unknown randomness,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_layer`; the stack keeps the layer even if it is released.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_vmap_enter(int64_t size, uint32_t randomness, tenon_layer** out_layer);

/// Enters a grad layer: calls in it are recorded for its own tensors. Turns grad mode on.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: as tenon_vmap_enter.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_grad_enter(tenon_layer** out_layer);

/// Enters a jvp layer: its tensors have tangents, which calls propagate.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: as tenon_vmap_enter.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_jvp_enter(tenon_layer** out_layer);

/// Leaves a layer and ends it, also on every thread that a thread state carried it to. Leaving a
/// grad layer restores the grad mode from before it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for a layer that is not the
///            thread's innermost.
/// Threads:   owner thread; for a jvp it runs the deleters of tangents' memory.
/// Since:     0.1
TENON_API tenon_status tenon_layer_leave(tenon_layer* layer);

/// Returns the innermost layer of the calling thread, or NULL if there is none.
///
/// Ownership: new reference.
/// Threads:   any thread; reads the calling thread's layers.
/// Since:     0.1
TENON_API tenon_layer* tenon_layer_copy_innermost(void);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_layer* tenon_layer_retain(tenon_layer* layer);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_layer_release(tenon_layer* layer);

/// Returns the kind, TENON_LAYER_*.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API uint32_t tenon_layer_kind(const tenon_layer* layer);

/// Returns a layer's level: 1 for the outermost layer, 2 for the one inside it, and so on.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_layer_level(const tenon_layer* layer);

/* Describes the vmap to a batching rule. */
typedef struct tenon_vmap_info {
  uint32_t struct_size; /* sizeof(tenon_vmap_info) */
  uint32_t randomness;  /* TENON_RANDOMNESS_* */
  int64_t batch_size;
  int64_t ntensors;     /* tensor arguments, with elements of lists; also the number of in_dims */
  uint64_t reserved[2]; /* zero */
} tenon_vmap_info;

/// Fills `out_info` with the batch size and randomness of a vmap; `ntensors` is 0.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL and a layer of another kind, TENON_ERROR_ABI
///            for a bad struct_size.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_get_vmap(const tenon_layer* layer, tenon_vmap_info* out_info);

/// Makes a layer's tensor from a tensor below. In a vmap, `dim` becomes the mapped dim; it counts
/// from the end if it is negative. In a grad, gradients flow to the new tensor. In a jvp, it has no
/// tangent. `dim` is TENON_DIM_NONE except for a vmap.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, the undefined tensor, a dim that the tensor
///            does not have or of another size than the vmap's; TENON_ERROR_STATE for a layer that
///            has ended, and in a grad for dtypes that are neither floating nor complex.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_wrap(tenon_layer* layer, tenon_tensor* tensor, int64_t dim,
                                        tenon_tensor** out_tensor);

/// Makes a layer's tensor from a tensor below that is a constant to the layer, as calls do with
/// their arguments. A vmap returns the tensor unchanged.
///
/// Errors:    as tenon_layer_wrap.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_lift(tenon_layer* layer, tenon_tensor* tensor,
                                        tenon_tensor** out_tensor);

/// Makes a jvp layer's tensor from a tensor and its tangent, both from below.
///
/// Errors:    as tenon_layer_wrap; TENON_ERROR_STATE also for sizes or dtypes that differ, and for
///            dtypes that are neither floating nor complex.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_wrap_dual(tenon_layer* layer, tenon_tensor* primal,
                                             tenon_tensor* tangent, tenon_tensor** out_tensor);

/// Returns the tensor below a layer's tensor, and for a vmap its mapped dim. If the tensor does not
/// belong to the layer, returns the tensor itself and TENON_DIM_NONE.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_unwrap(tenon_layer* layer, tenon_tensor* tensor,
                                          tenon_tensor** out_tensor, int64_t* out_dim);

/// Returns the tangent that a tensor has at a jvp layer, as a tensor below, or NULL if it has none.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL and a layer that is no jvp.
/// Ownership: `out_tangent` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_tangent(tenon_layer* layer, tenon_tensor* tensor,
                                           tenon_tensor** out_tangent);

/// Returns the layer that a tensor belongs to, or NULL if it belongs to none.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_layer* tenon_tensor_copy_layer(const tenon_tensor* tensor);

/// Returns the plain tensor from which a tensor's elements can be read: the tensor below all grad
/// and jvp layers, and below any vmap that has ended.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for a tensor that a vmap
///            maps, because its elements differ between examples.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_plain(tenon_tensor* tensor, tenon_tensor** out_tensor);

typedef struct tenon_hidden_layer tenon_hidden_layer;

/// Hides the innermost layer: until it is shown again, calls are handled by the layers outside of
/// it.
///
/// Errors:    TENON_ERROR_STATE without a layer, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the caller owns `out_hidden` until tenon_layer_show takes it.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_hide(tenon_hidden_layer** out_hidden);

/// Shows a hidden layer again. Layers must be shown in the reverse order of hiding.
///
/// Ownership: takes `hidden`; NULL is accepted.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void tenon_layer_show(tenon_hidden_layer* hidden);

/* ---- Batching rules --------------------------------------------------------------------- */

/* Serves an operator in a vmap. The tensors in the stack are those below, with the mapped dim
 * visible. `in_dims` has the mapped dim of each tensor argument in order, with elements of lists
 * counted separately, or -1 if the tensor is not mapped; at least one tensor is mapped. Results are
 * written like those of a kernel. `out_dims` receives the mapped dim of all results (an int) or of
 * each tensor (an int[]), or stays NONE if no result is mapped. Operators that the rule calls are
 * handled by the layers outside of the vmap. Returns TENON_OK, or a code with the error in the
 * stack or in the thread's slot. If it returns TENON_DECLINED and has written nothing, the operator
 * is called for each example separately. */
typedef tenon_status (*tenon_vmap_fn)(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                                      const int64_t* in_dims, tenon_stack* stack,
                                      tenon_value* out_dims);

/* A batching rule to register. Texts are copied. */
typedef struct tenon_vmap_rule {
  uint32_t struct_size; /* sizeof(tenon_vmap_rule) */
  uint32_t flags;       /* zero */
  tenon_vmap_fn fn;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also when registration fails; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number */
  uint32_t policy;       /* TENON_REPLACE_* */
  const char* name;      /* NULL or the function's name, for dumps and errors */
  const char* file;      /* NULL or the place of registration */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_vmap_rule;

/// Registers the batching rule of an operator: a kernel on Batched. Without a rule the operator's
/// decomposition is used, or a loop that calls the operator for each example.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad description or name,
///            TENON_ERROR_ALREADY_EXISTS by policy, TENON_ERROR_STATE for a closed library,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_registration` (may be NULL) is owned by the
///            caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_register_vmap(tenon_library* library, const char* name,
                                                   const tenon_vmap_rule* rule,
                                                   tenon_registration** out_registration);

/// Sets whether operators without batching rule and decomposition warn, once, that they are called
/// in a loop over the examples: 1 (the default) or 0.
///
/// Threads:   any thread; affects all threads.
/// Since:     0.1
TENON_API void tenon_vmap_set_loop_warnings(int32_t enabled);

/// Returns the setting of tenon_vmap_set_loop_warnings.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_vmap_loop_warnings(void);

/// Sets whether operators without batching rule and decomposition are called in a loop over the
/// examples (1, the default) or fail (0).
///
/// Threads:   any thread; affects all threads.
/// Since:     0.1
TENON_API void tenon_vmap_set_loops(int32_t enabled);

/// Returns the setting of tenon_vmap_set_loops.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_vmap_loops(void);

/* ---- Whole functions -------------------------------------------------------------------- */

/* Options for mapping a function. Negative dims count from the end. */
typedef struct tenon_vmap_options {
  uint32_t struct_size;    /* sizeof(tenon_vmap_options) */
  uint32_t randomness;     /* TENON_RANDOMNESS_* */
  const char* name;        /* NULL or the function's name in messages */
  const int64_t* in_dims;  /* NULL: 0; one for all tensors, or one (or TENON_DIM_NONE) for each */
  const int64_t* out_dims; /* NULL: 0; one for all tensors of the result, or one for each */
  int64_t nin_dims;
  int64_t nout_dims;
  int64_t chunk_size;   /* number of examples to run at once; 0: all */
  uint64_t reserved[4]; /* zero */
} tenon_vmap_options;

/// Returns the batch size of a mapped function: the size of the dims of its arguments that in_dims
/// name.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT without arguments, if nothing is mapped, for a dim of an
///            argument that is no tensor or does not have it, and for sizes that differ.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_vmap_size(const char* name, const tenon_value* args,
                                       const int64_t* in_dims, int64_t nargs, int64_t* out_size);

/// Unwraps a result of a mapped function from the layer, which may have ended. The mapped dim
/// becomes `out_dim`; a result that is not mapped is repeated along it. With TENON_DIM_NONE the
/// result is returned unchanged. `number` is the index of the result, for messages.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a value that is no tensor, for a dim that the result
///            does not have, and for TENON_DIM_NONE if the result is mapped.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_vmap_result(tenon_layer* layer, const char* name, int64_t number,
                                         const tenon_value* result, int64_t out_dim,
                                         tenon_tensor** out_tensor);

/// Calls a function once, or once per chunk, mapped over its arguments. Arguments that are no
/// tensors are passed unchanged.
///
/// Errors:    as tenon_vmap_size and tenon_vmap_result, TENON_ERROR_ABI for a bad struct_size, and
///            what the function raised. The layer is left on failure, too.
/// Ownership: arguments are borrowed; an owned result is written into the stack: a tensor, or a
///            tensor list if the function returns a list or tuple of tensors.
/// Threads:   owner thread; *blocks* if the function does.
/// Since:     0.1
TENON_API tenon_status tenon_vmap(tenon_callable function, void* ctx,
                                  const tenon_vmap_options* options, tenon_stack* stack);

typedef struct tenon_pullback tenon_pullback; /* refcounted */

/// Calls a function and keeps what the gradients of its results need. All arguments must be tensors
/// and are differentiated; other values must be captured by the function.
///
/// Errors:    TENON_ERROR_STATE for dtypes that are neither floating nor complex,
///            TENON_ERROR_INVALID_ARGUMENT for an argument that is no tensor, and what the function
///            raised.
/// Ownership: as tenon_vmap; new reference in `out_pullback`.
/// Threads:   owner thread; *blocks* if the function does.
/// Since:     0.1
TENON_API tenon_status tenon_vjp(tenon_callable function, void* ctx, tenon_stack* stack,
                                 tenon_pullback** out_pullback);

/// Makes a pullback from the results of a function and its arguments, both as tensors of a grad
/// layer.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL.
/// Ownership: tensors are borrowed; new reference in `out_pullback`.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_pullback_new(tenon_tensor* const* outputs, int64_t noutputs,
                                          tenon_tensor* const* inputs, int64_t ninputs,
                                          tenon_pullback** out_pullback);

/// Computes the gradients of the arguments from those of the results. The gradient of an argument
/// that no result depends on is zeros. A NULL gradient of a 0-dim result means 1. A pullback can
/// run any number of times. Its calls are recorded in grad mode.
///
/// Errors:    TENON_ERROR_STATE for gradients of other sizes than the results',
///            TENON_ERROR_INVALID_ARGUMENT for a wrong number of them, and what a formula raised.
/// Ownership: `out_grads` has room for one gradient per argument; the caller owns them.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_pullback_run(const tenon_pullback* pullback,
                                          tenon_tensor* const* grads, int64_t ngrads,
                                          tenon_tensor** out_grads);

/// Returns the number of gradients that a pullback takes. `out_inputs` (may be NULL) receives the
/// number that it returns.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_pullback_count(const tenon_pullback* pullback, int64_t* out_inputs);

/// Adds a reference. NULL is accepted and returned.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_pullback* tenon_pullback_retain(tenon_pullback* pullback);

/// Drops a reference. NULL is accepted.
///
/// Threads:   any thread; the last one may run foreign deleters.
/// Since:     0.1
TENON_API void tenon_pullback_release(tenon_pullback* pullback);

/// Calls a function and computes the derivatives of its results along a direction, given by one
/// tangent for each argument, of the argument's sizes and dtype.
///
/// Errors:    as tenon_vjp; TENON_ERROR_STATE for tangents of other sizes or dtypes.
/// Ownership: as tenon_vmap; tangents are borrowed. `out_tangents` has the structure of the result,
///            with zeros if a result does not depend on the arguments; the caller clears it.
/// Threads:   owner thread; *blocks* if the function does.
/// Since:     0.1
TENON_API tenon_status tenon_jvp(tenon_callable function, void* ctx, tenon_stack* stack,
                                 tenon_tensor* const* tangents, tenon_value* out_tangents);

TENON_END_DECLS

#endif /* TENON_TRANSFORMS_H */
