/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms: vmap, grad, jvp as layers that nest in any order, batching rules, whole functions. */
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

/* A transform is a layer on the calling thread's stack, from its entering to its leaving. Calls of
 * operators in between are the innermost layer's, which works with its own tensors: of a vmap those
 * lack a dim, of a grad they require gradients of their own, of a jvp they have tangents. What it
 * calls below is the next layer's. Other tensors are constants to a layer.
 *
 * A tensor of a grad or jvp that has outlived its layer stands for the tensor below; one of a vmap
 * must not be used any more. Thread states carry layers. */

/* ---- Layers ----------------------------------------------------------------------------- */

typedef struct tenon_layer tenon_layer; /* refcounted; stays a handle once the layer has ended */

#define TENON_LAYER_VMAP 0u
#define TENON_LAYER_GRAD 1u
#define TENON_LAYER_JVP 2u
#define TENON_LAYER_OTHER 3u

/* What a random operator does in a vmap. */
#define TENON_RANDOMNESS_ERROR 0u     /* it fails */
#define TENON_RANDOMNESS_SAME 1u      /* it gives the same numbers for all of the mapped */
#define TENON_RANDOMNESS_DIFFERENT 2u /* it gives other numbers for each */

/* An in_dim or out_dim of what is not mapped. */
#define TENON_DIM_NONE (-1000)

/// Enters a vmap over `size`.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a negative size and an unknown randomness,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: new reference in `out_layer`; it stays on the stack without it.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_vmap_enter(int64_t size, uint32_t randomness, tenon_layer** out_layer);

/// Enters a grad layer: calls in it are recorded for its own tensors, in grad mode.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: as tenon_vmap_enter.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_grad_enter(tenon_layer** out_layer);

/// Enters a jvp layer: its tensors carry tangents through calls.
///
/// Errors:    TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: as tenon_vmap_enter.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_jvp_enter(tenon_layer** out_layer);

/// Leaves a layer, which ends: on every thread that a thread state carried it to. The grad mode is
/// that from before a grad layer.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for a layer that is not the
///            thread's innermost.
/// Threads:   owner thread; of a jvp it runs the deleters of tangents' memory.
/// Since:     0.1
TENON_API tenon_status tenon_layer_leave(tenon_layer* layer);

/// Returns the innermost layer of the calling thread, NULL outside of any.
///
/// Ownership: new reference.
/// Threads:   any thread; the calling thread's.
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

/// Returns 1 for the outermost layer, 2 for the one in it, and so on.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_layer_level(const tenon_layer* layer);

/* What a batching rule is told of the vmap. */
typedef struct tenon_vmap_info {
  uint32_t struct_size; /* sizeof(tenon_vmap_info) */
  uint32_t randomness;  /* TENON_RANDOMNESS_* */
  int64_t batch_size;
  int64_t ntensors;     /* among the arguments, elements of lists one by one; as many in_dims */
  uint64_t reserved[2]; /* zero */
} tenon_vmap_info;

/// Tells what a vmap maps over; `ntensors` is 0.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL and a layer of another kind, TENON_ERROR_ABI
///            for a bad struct_size.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_get_vmap(const tenon_layer* layer, tenon_vmap_info* out_info);

/// Makes a layer's tensor of one below. Of a vmap: `dim` is mapped, counted from the end where it
/// is negative. Of a grad: gradients flow to it. Of a jvp: it has no tangent. `dim` is
/// TENON_DIM_NONE but for a vmap.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, the undefined tensor, a dim that the tensor
///            does not have or of another size than the vmap's; TENON_ERROR_STATE for a layer that
///            has ended, and of a grad for dtypes that are neither floating nor complex.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_wrap(tenon_layer* layer, tenon_tensor* tensor, int64_t dim,
                                        tenon_tensor** out_tensor);

/// Makes a layer's tensor of one below that is a constant to it, as calls do with their arguments.
/// A vmap leaves it as it is.
///
/// Errors:    as tenon_layer_wrap.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_lift(tenon_layer* layer, tenon_tensor* tensor,
                                        tenon_tensor** out_tensor);

/// Makes a jvp layer's tensor with a tangent, both from below.
///
/// Errors:    as tenon_layer_wrap; TENON_ERROR_STATE also for sizes or dtypes that differ, and for
///            dtypes that are neither floating nor complex.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_wrap_dual(tenon_layer* layer, tenon_tensor* primal,
                                             tenon_tensor* tangent, tenon_tensor** out_tensor);

/// Gives the tensor below one of the layer's, and of a vmap the dim that is mapped; the tensor
/// itself and TENON_DIM_NONE for one that is not of the layer.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_unwrap(tenon_layer* layer, tenon_tensor* tensor,
                                          tenon_tensor** out_tensor, int64_t* out_dim);

/// Gives the tangent that a tensor has at a jvp layer, as it is below; NULL without one.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL and a layer that is no jvp.
/// Ownership: `out_tangent` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_tangent(tenon_layer* layer, tenon_tensor* tensor,
                                           tenon_tensor** out_tangent);

/// Gives the layer of a tensor, NULL for one of none.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_layer* tenon_tensor_copy_layer(const tenon_tensor* tensor);

/// Gives what a tensor stands for where its elements are to be read: below all grad and jvp layers,
/// and below a vmap that has ended.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for a tensor that a vmap
///            maps: it has other elements for each of the mapped.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_plain(tenon_tensor* tensor, tenon_tensor** out_tensor);

typedef struct tenon_hidden_layer tenon_hidden_layer;

/// Takes the innermost layer out of sight: calls are those of the layers outside of it, until it is
/// shown again.
///
/// Errors:    TENON_ERROR_STATE without a layer, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_hidden` is the caller's, until tenon_layer_show takes it.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_layer_hide(tenon_hidden_layer** out_hidden);

/// Shows a layer again: what was hidden last first.
///
/// Ownership: takes `hidden`; NULL is accepted.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API void tenon_layer_show(tenon_hidden_layer* hidden);

/* ---- Batching rules --------------------------------------------------------------------- */

/* Serves an operator in a vmap. The stack's tensors are those below, which show the mapped dim:
 * in_dims has it for each tensor among the arguments, in order, elements of lists one by one, -1
 * where nothing is mapped; some is. Results are written as those of a kernel; `out_dims` becomes
 * the mapped dim of all of them (an int), of each tensor (an int[]), or stays NONE where nothing is
 * mapped. Calls of operators are those of the layers outside of the vmap. Returns TENON_OK, a code
 * with the error in the stack or in the thread's slot, or TENON_DECLINED with nothing written: the
 * operator is called for each of the mapped then. */
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
  const char* file;      /* NULL or where it is registered */
  int32_t line;
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_vmap_rule;

/// Registers the batching rule of an operator: a kernel on Batched. Without one an operator's
/// decomposition serves, or a loop over the mapped.
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

/// Says whether operators without rule and decomposition warn once that they are called for each
/// of the mapped (1, as at first) or not (0).
///
/// Threads:   any thread; for all threads.
/// Since:     0.1
TENON_API void tenon_vmap_set_loop_warnings(int32_t enabled);

/// Returns that.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_vmap_loop_warnings(void);

/// Says whether operators without rule and decomposition are called for each of the mapped (1, as
/// at first) or fail (0).
///
/// Threads:   any thread; for all threads.
/// Since:     0.1
TENON_API void tenon_vmap_set_loops(int32_t enabled);

/// Returns that.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_vmap_loops(void);

/* ---- Whole functions -------------------------------------------------------------------- */

/* How a function is mapped. Dims count from the end where they are negative. */
typedef struct tenon_vmap_options {
  uint32_t struct_size;    /* sizeof(tenon_vmap_options) */
  uint32_t randomness;     /* TENON_RANDOMNESS_* */
  const char* name;        /* NULL or what messages begin with */
  const int64_t* in_dims;  /* NULL: 0; one for all tensors, or one or TENON_DIM_NONE for each */
  const int64_t* out_dims; /* NULL: 0; one for all tensors of the result, or one for each */
  int64_t nin_dims;
  int64_t nout_dims;
  int64_t chunk_size;   /* so many of the mapped at once; 0: all */
  uint64_t reserved[4]; /* zero */
} tenon_vmap_options;

/// Finds over how many a function is mapped: the size of the dims of its arguments that in_dims
/// name.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT without arguments, where nothing is mapped, for a dim of
///            what is no tensor or that it does not have, and for sizes that differ.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_vmap_size(const char* name, const tenon_value* args,
                                       const int64_t* in_dims, int64_t nargs, int64_t* out_size);

/// Takes a result of a mapped function off the layer, which may have ended: the mapped dim becomes
/// `out_dim`; what is one for all of the mapped is repeated along it. With TENON_DIM_NONE it stays
/// as it is. `number` is the result's, for messages.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for what is no tensor, for a dim that the result does
///            not have, and for TENON_DIM_NONE where the result is mapped.
/// Ownership: `out_tensor` is owned by the caller.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_vmap_result(tenon_layer* layer, const char* name, int64_t number,
                                         const tenon_value* result, int64_t out_dim,
                                         tenon_tensor** out_tensor);

/// Calls a function once, mapped over its arguments (in chunks, if so asked). What is no tensor is
/// passed on as it is.
///
/// Errors:    those of tenon_vmap_size and tenon_vmap_result, TENON_ERROR_ABI for a bad
///            struct_size, and what the function raised. No layer stays.
/// Ownership: arguments are borrowed; the result is written owned into the stack: a tensor, or a
///            tensor list for a function that gives a list or tuple of them.
/// Threads:   owner thread; *blocks* where the function may.
/// Since:     0.1
TENON_API tenon_status tenon_vmap(tenon_callable function, void* ctx,
                                  const tenon_vmap_options* options, tenon_stack* stack);

typedef struct tenon_pullback tenon_pullback; /* refcounted */

/// Calls a function, and keeps what gradients of its results need. All arguments are tensors that
/// are differentiated; others are the function's own.
///
/// Errors:    TENON_ERROR_STATE for dtypes that are neither floating nor complex,
///            TENON_ERROR_INVALID_ARGUMENT for what is no tensor, and what the function raised.
/// Ownership: as tenon_vmap; new reference in `out_pullback`.
/// Threads:   owner thread; *blocks* where the function may.
/// Since:     0.1
TENON_API tenon_status tenon_vjp(tenon_callable function, void* ctx, tenon_stack* stack,
                                 tenon_pullback** out_pullback);

/// Makes a pullback of tensors of a grad layer: results of a function, and its arguments, both as
/// the layer has them.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL.
/// Ownership: tensors are borrowed; new reference in `out_pullback`.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_pullback_new(tenon_tensor* const* outputs, int64_t noutputs,
                                          tenon_tensor* const* inputs, int64_t ninputs,
                                          tenon_pullback** out_pullback);

/// Gives the gradients of the arguments, zeros where no result depends on one, from those of the
/// results; NULL is 1 for one without dims. Runs as often as wanted; is recorded in grad mode.
///
/// Errors:    TENON_ERROR_STATE for gradients of other sizes than the results',
///            TENON_ERROR_INVALID_ARGUMENT for another number of them, and what a formula raised.
/// Ownership: `out_grads` has room for one an argument; they are owned by the caller.
/// Threads:   any thread; *blocks*.
/// Since:     0.1
TENON_API tenon_status tenon_pullback_run(const tenon_pullback* pullback,
                                          tenon_tensor* const* grads, int64_t ngrads,
                                          tenon_tensor** out_grads);

/// Returns how many gradients a pullback takes, and in `out_inputs` (may be NULL) how many it
/// gives.
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

/// Calls a function, and gives the derivatives of its results along a direction: one tangent for
/// each argument, of its sizes and dtype.
///
/// Errors:    as tenon_vjp; TENON_ERROR_STATE for tangents of other sizes or dtypes.
/// Ownership: as tenon_vmap; tangents are borrowed. `out_tangents` is what the result is, with
///            zeros where it does not depend on the arguments; the caller clears it.
/// Threads:   owner thread; *blocks* where the function may.
/// Since:     0.1
TENON_API tenon_status tenon_jvp(tenon_callable function, void* ctx, tenon_stack* stack,
                                 tenon_tensor* const* tangents, tenon_value* out_tangents);

TENON_END_DECLS

#endif /* TENON_TRANSFORMS_H */
