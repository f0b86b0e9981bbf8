/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: functions that run during backward passes, and objects that languages attach to nodes. */
#ifndef TENON_HOOKS_H
#define TENON_HOOKS_H

#include "tenon/autograd.h"
#include "tenon/common.h"

// Usage:
//
//   tenon_hook_options options = {sizeof options, TENON_HOOK_GRAD};
//   tenon_hook* hook = NULL;
//   options.fn = print_gradient; /* tenon_status print_gradient(tenon_hook_call* call) */
//   options.language = TENON_LANGUAGE_C;
//   status = tenon_tensor_add_hook(x, &options, &hook);
//   if (status) return status;
//   /* ... backward passes ... */
//   tenon_hook_remove(hook);
//   tenon_hook_release(hook);

TENON_BEGIN_DECLS

/* A hook on a tensor or a node, which keeps it alive. */
typedef struct tenon_hook tenon_hook; /* refcounted */

/* Kinds of hooks. For each node, a backward pass runs in this order: the hooks on the gradients of
 * its outputs, the accumulation of retained gradients, hooks before the node, the node,
 * accumulation hooks (of a leaf), hooks after the node. Hooks of the same kind run in the order in
 * which they were added. */
#define TENON_HOOK_GRAD 0u        /* tensors: when the gradient is complete, before its node runs */
#define TENON_HOOK_ACCUMULATED 1u /* leaves: after their gradient has been accumulated */
#define TENON_HOOK_BEFORE 2u      /* nodes: before the node runs */
#define TENON_HOOK_AFTER 3u       /* nodes: after the node has run */

/* One run of a hook. */
typedef struct tenon_hook_call {
  tenon_node* node;             /* the node: that of the leaf, or the one that made the tensor */
  void* ctx;                    /* context of the hook */
  tenon_tensor* tensor;         /* ACCUMULATED: the leaf's tensor; otherwise NULL */
  tenon_tensor* const* grads;   /* GRAD: the gradient; BEFORE: gradients of the node's outputs;
                                 * AFTER: of its inputs; borrowed; NULL: no gradient */
  tenon_tensor* const* outputs; /* AFTER: gradients of the node's outputs, borrowed */
  tenon_tensor** out_grads;     /* NULL on entry; room for owned gradients that replace `grads` */
  int64_t ngrads;               /* ACCUMULATED: 0 */
  int64_t noutputs;
  int32_t replaces;     /* 0 on entry; 1: `out_grads` replace `grads`, NULL: no gradient */
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_hook_call;

/* Runs a hook. Returns TENON_OK, or a code with the error in the thread's slot, which stops the
 * pass. Gradients that replace others must have the same sizes, dtype and device. The hook runs on
 * the thread that runs the pass; whether its calls are recorded depends on the grad mode of that
 * thread. */
typedef tenon_status (*tenon_hook_fn)(tenon_hook_call* call);

/* A hook to add. */
typedef struct tenon_hook_options {
  uint32_t struct_size; /* sizeof(tenon_hook_options) */
  uint32_t kind;        /* TENON_HOOK_* */
  tenon_hook_fn fn;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also when adding fails; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number: the language of `ctx` */
  uint32_t reserved0;    /* zero */
  uint64_t reserved[2];  /* zero */
} tenon_hook_options;

/// Adds a hook to a tensor that requires grad: GRAD, or ACCUMULATED for a leaf. It applies to the
/// current value of the tensor: a later in-place write gives the tensor a new node, and the hook
/// keeps receiving the gradient of the old value.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL tensor or function and another kind,
///            TENON_ERROR_STATE for a tensor that does not require gradients, and for ACCUMULATED
///            with a tensor that is no leaf; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_hook` (may be NULL) is owned by the caller.
/// Threads:   any thread; passes that are running may or may not call it.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_add_hook(tenon_tensor* tensor,
                                             const tenon_hook_options* options,
                                             tenon_hook** out_hook);

/// Adds a hook to a node: BEFORE or AFTER. It does not run if a pass only computes the gradient of
/// one of the node's outputs.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a NULL node or function and another kind,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_hook` (may be NULL) is owned by the caller.
/// Threads:   any thread; passes that are running may or may not call it.
/// Since:     0.1
TENON_API tenon_status tenon_node_add_hook(tenon_node* node, const tenon_hook_options* options,
                                           tenon_hook** out_hook);

/// Removes a hook. It is not called again, and its deleter runs when no call of it is running.
/// Removing it again does nothing, and neither does removing a hook whose node is gone.
///
/// Threads:   any thread; also from inside the hook.
/// Since:     0.1
TENON_API void tenon_hook_remove(tenon_hook* hook);

/// Adds a reference and returns `hook`. NULL is accepted and returned.
///
/// Ownership: the caller owns one more reference to `hook`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_hook* tenon_hook_retain(tenon_hook* hook);

/// Drops a reference. The hook stays on its tensor or node.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_hook_release(tenon_hook* hook);

/* ---- Tensors ---------------------------------------------------------------------------- */

/// Makes backward passes accumulate gradients in a tensor that is no leaf, after all hooks on its
/// gradient have run. The setting stays with the tensor through in-place writes. Does nothing for
/// leaves.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for a tensor that does not
///            require gradients, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; no other thread may use the tensor during the call.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_retain_grad(tenon_tensor* tensor);

/// Returns 1 if tenon_tensor_retain_grad is in effect for a tensor, otherwise 0.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_retains_grad(const tenon_tensor* tensor);

/// Returns the dtype that gradients of a leaf are converted to: the tensor's dtype, unless another
/// one was set, or TENON_DTYPE_NONE if any dtype is accepted.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_dtype tenon_tensor_grad_dtype(const tenon_tensor* tensor);

/// Sets the dtype that gradients of a tensor are converted to: for a leaf before they are
/// accumulated, for a result of a recorded call before its formula receives them. Gradients that
/// are set explicitly must have this dtype. With TENON_DTYPE_NONE, gradients of any dtype are
/// accepted unchanged.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_TYPE for a dtype that is neither
///            floating nor complex, TENON_ERROR_STATE for a tensor that has a gradient of another
///            dtype; TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; no other thread may use the tensor during the call.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_grad_dtype(tenon_tensor* tensor, tenon_dtype dtype);

/// Increments a tensor's version after its elements were written by other means than an operator,
/// so that backward passes that need the old elements fail.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for an inference tensor.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_increment_version(tenon_tensor* tensor);

/* ---- Nodes ------------------------------------------------------------------------------ */

/// Returns the tensor whose gradients a leaf node accumulates. Returns NULL for other nodes, and if
/// the tensor has died.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_node_copy_variable(const tenon_node* node);

/// Returns the number of references to a node.
///
/// Threads:   any thread; a number above 1 may be out of date immediately.
/// Since:     0.1
TENON_API int64_t tenon_node_use_count(const tenon_node* node);

/// Returns the address of a language's cell on a node, in which a binding stores the one object
/// that represents the node in its language. Cells are atomic words: a binding without a global
/// lock uses compare-and-exchange.
///
/// Errors:    NULL for an unknown language, and if memory is short.
/// Ownership: borrowed until the node dies; the object in it belongs to the language.
/// Threads:   any thread; the language synchronizes accesses to the cell.
/// Since:     0.1
TENON_API void** tenon_node_cell(tenon_node* node, uint32_t language);

/// Stores an object in a language's cell of a node and sets its owner. If `drop` is given, the node
/// owns the object and drops it when it dies; otherwise the language owns it. If the cell holds a
/// different object that the node owns, that object is dropped.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown language, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `object` if `drop` is given, on success only.
/// Threads:   any thread; one at a time for each node and language.
/// Since:     0.1
TENON_API tenon_status tenon_node_own_cell(tenon_node* node, uint32_t language, void* object,
                                           tenon_deleter drop);

/* ---- Saved tensors ---------------------------------------------------------------------- */

/* Packs a tensor that a node is about to save: writes an owned value to save in its place. The
 * tensor is borrowed. It has the elements of the saved tensor, but no gradient, and must not be
 * written. Returns TENON_OK, or a code with the error in the thread's slot; then the recorded call
 * fails. */
typedef tenon_status (*tenon_pack_fn)(void* ctx, tenon_tensor* tensor, tenon_value* out_packed);
/* Returns the tensor of a packed value, owned by the caller. Called each time a pass reaches the
 * node. */
typedef tenon_status (*tenon_unpack_fn)(void* ctx, const tenon_value* packed,
                                        tenon_tensor** out_tensor);

/* Hooks of saved tensors. */
typedef struct tenon_saved_hooks {
  uint32_t struct_size; /* sizeof(tenon_saved_hooks) */
  uint32_t language;    /* TENON_LANGUAGE_*, or a registered number: the language of `ctx` */
  tenon_pack_fn pack;
  tenon_unpack_fn unpack;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also on failure; may be NULL */
  uint64_t reserved[2];  /* zero */
} tenon_saved_hooks;

/// Makes the calling thread's calls pack the tensors that they save with these hooks, until the
/// hooks are popped. Only the hooks that were pushed last are used. Thread states carry hooks.
/// Values that they packed keep them alive.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for missing functions, TENON_ERROR_STATE with the reason
///            as message if hooks are disabled, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure.
/// Threads:   any thread; affects the calling thread.
/// Since:     0.1
TENON_API tenon_status tenon_saved_hooks_push(const tenon_saved_hooks* hooks);

/// Removes the hooks that were pushed last, which must have this `ctx`.
///
/// Errors:    TENON_ERROR_STATE if the last ones have another ctx, or if there are none.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_saved_hooks_pop(void* ctx);

/// Disables hooks of saved tensors on the calling thread for a reason. NULL enables them again.
///
/// Errors:    TENON_ERROR_STATE with the reason as message if hooks are pushed,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; affects the calling thread.
/// Since:     0.1
TENON_API tenon_status tenon_saved_hooks_disable(const char* reason);

/// Returns why hooks of saved tensors are disabled on the calling thread, or NULL if they are
/// enabled.
///
/// Ownership: borrowed until the thread changes the reason.
/// Threads:   any thread; reads the calling thread's setting.
/// Since:     0.1
TENON_API const char* tenon_saved_hooks_refusal(void);

/// Returns the number of tensors and other values that the formula of a node's operator saves.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_node_saved_count(const tenon_node* node);

/// Writes the name of a saved value: that of an argument or result ("self", "result"), with a
/// suffix such as "_sizes" if only that property of a tensor is saved.
///
/// Errors:    TENON_ERROR_INDEX.
/// Ownership: `out_name` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_node_saved_name(const tenon_node* node, int64_t index,
                                             tenon_buffer** out_name);

/// Returns a value that a node has saved. A tensor has its place in the backward graph again. The
/// value is NONE if it is a tensor that no gradient needs.
///
/// Errors:    TENON_ERROR_INDEX; TENON_ERROR_STATE if a backward pass has freed the value, and for
///            a tensor that was written since; what an unpack hook raised.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_node_copy_saved(tenon_node* node, int64_t index,
                                             tenon_value* out_value);

/// Packs a tensor that a node has saved, or each tensor of a saved list.
///
/// Errors:    TENON_ERROR_INDEX; TENON_ERROR_INVALID_ARGUMENT for missing functions and for a value
///            without tensors, TENON_ERROR_STATE for a value that is packed already or was freed;
///            what the hook raised.
/// Ownership: takes over `ctx`, also on failure.
/// Threads:   any thread; no pass may reach the node during the call.
/// Since:     0.1
TENON_API tenon_status tenon_node_pack_saved(tenon_node* node, int64_t index,
                                             const tenon_saved_hooks* hooks);

/* ---- Creation hooks and anomaly mode ------------------------------------------------------ */

/* Called with a node that was just recorded, before its results are linked to it. Returns TENON_OK,
 * or a code with the error in the thread's slot; then the recorded call fails. */
typedef tenon_status (*tenon_node_fn)(void* ctx, tenon_node* node);

/// Makes the calling thread call a function with each node that it records, until the function is
/// popped. All pushed functions are called, in the order in which they were pushed. Thread states
/// carry them.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if `fn` is NULL, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure: `deleter` (may be NULL) runs exactly once.
/// Threads:   any thread; affects the calling thread.
/// Since:     0.1
TENON_API tenon_status tenon_creation_hook_push(tenon_node_fn fn, void* ctx, tenon_deleter deleter);

/// Removes the function that was pushed last, which must have this `ctx`.
///
/// Errors:    TENON_ERROR_STATE if the last one has another ctx, or if there is none.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_creation_hook_pop(void* ctx);

#define TENON_ANOMALY_RECORD 1u    /* nodes store where they were made, for later error messages */
#define TENON_ANOMALY_CHECK_NAN 2u /* a node that returns NaN fails */

/// Sets the calling thread's anomaly mode, which affects its backward passes and recorded calls.
/// Thread states carry it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; affects the calling thread.
/// Since:     0.1
TENON_API tenon_status tenon_anomaly_set(uint32_t flags);

/// Returns the calling thread's anomaly mode, TENON_ANOMALY_*.
///
/// Threads:   any thread; reads the calling thread's setting.
/// Since:     0.1
TENON_API uint32_t tenon_anomaly_get(void);

/* ---- For cycle collectors ---------------------------------------------------------------- */

#define TENON_OWNED_CELL 0u   /* object in the language's cell of a tensor or node that owns it */
#define TENON_OWNED_HOOK 1u   /* `ctx` of a hook */
#define TENON_OWNED_OBJECT 2u /* `self` of an object that was saved or packed */

#define TENON_OWNED_SAVED_HOOKS 3u /* `ctx` of hooks of saved tensors */

/* Visits an object. Returns 0 to continue. */
typedef int32_t (*tenon_owned_fn)(void* ctx, uint32_t kind, void* object);

/// Reports to a language's cycle collector which of its objects are reachable only through a
/// tensor: through its node, values saved by it, hooks, and older nodes. The tensor must have no
/// other reference than the caller's. Objects that are also referenced from elsewhere are left out,
/// and so is everything beyond a few thousand nodes.
///
/// Errors:    returns the first value other than 0 that `visit` returned, and 0 otherwise.
/// Threads:   any thread; `visit` runs on it and must not change anything.
/// Since:     0.1
TENON_API int32_t tenon_tensor_visit_owned(const tenon_tensor* tensor, uint32_t language,
                                           tenon_owned_fn visit, void* ctx);

/// Like tenon_tensor_visit_owned, for a node that has no other reference than the caller's.
///
/// Errors:    returns the first value other than 0 that `visit` returned, and 0 otherwise.
/// Threads:   any thread; `visit` runs on it and must not change anything.
/// Since:     0.1
TENON_API int32_t tenon_node_visit_owned(const tenon_node* node, uint32_t language,
                                         tenon_owned_fn visit, void* ctx);

/// Removes the hooks of a language that tenon_tensor_visit_owned reports, because the tensor is
/// garbage.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_clear_owned(tenon_tensor* tensor, uint32_t language);

/// Removes the hooks of a language that tenon_node_visit_owned reports, because the node is
/// garbage.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_node_clear_owned(tenon_node* node, uint32_t language);

/* ---- The running backward pass ----------------------------------------------------------- */

/// Returns the id of the backward pass that runs on the calling thread, or of the innermost one if
/// passes are nested. Ids are unique in the process. Returns 0 if no pass runs.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_backward_pass(void);

/// Returns 1 if the backward pass that runs on the calling thread will run a node, or has run it,
/// and 0 otherwise.
///
/// Errors:    0 if no pass runs, and if memory is short.
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_backward_reaches(const tenon_node* node);

/// Returns the gradient that the backward pass on the calling thread has accumulated so far for an
/// output of a node that has not run yet. Returns NULL if there is none, or if no pass runs. Later
/// gradients do not change the returned tensor.
///
/// Errors:    TENON_ERROR_INDEX for an output that the node does not have.
/// Ownership: `out_grad` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_backward_copy_waiting(tenon_node* node, int64_t output,
                                                   tenon_tensor** out_grad);

/* Returns TENON_OK, or a code with the error in the thread's slot. */
typedef tenon_status (*tenon_done_fn)(void* ctx);

/// Calls a function when the backward pass that runs on the calling thread has run all its nodes.
/// It is not called if the pass fails before that. Functions run in the order in which they were
/// added and may add more; the first error stops the pass.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if `fn` is NULL, TENON_ERROR_STATE if no pass runs,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure: `deleter` (may be NULL) runs exactly once.
/// Threads:   any thread; the function runs on the calling thread.
/// Since:     0.1
TENON_API tenon_status tenon_backward_when_done(tenon_done_fn fn, void* ctx, tenon_deleter deleter);

TENON_END_DECLS

#endif /* TENON_HOOKS_H */
