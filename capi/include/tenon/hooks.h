/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: functions that run as gradients flow, and what languages keep with nodes. */
#ifndef TENON_HOOKS_H
#define TENON_HOOKS_H

#include "tenon/autograd.h"
#include "tenon/common.h"

TENON_BEGIN_DECLS

/* A hook that was added to a tensor or a node, which keeps it. */
typedef struct tenon_hook tenon_hook; /* refcounted */

/* When a hook runs. For each node, in this order: hooks of its outputs' gradients, gradients that
 * outputs retain, hooks before the node, the node, hooks of accumulation (of a leaf), hooks after
 * the node. Those of one kind run in the order in which they were added. */
#define TENON_HOOK_GRAD 0u        /* tensors: when the whole gradient has come, before its node */
#define TENON_HOOK_ACCUMULATED 1u /* leaves: when the leaf's gradient has been added to */
#define TENON_HOOK_BEFORE 2u      /* nodes: before the node runs */
#define TENON_HOOK_AFTER 3u       /* nodes: after it ran */

/* One run of a hook. */
typedef struct tenon_hook_call {
  tenon_node* node;             /* the node; that of the leaf, or the one that made the tensor */
  void* ctx;                    /* the hook's */
  tenon_tensor* tensor;         /* ACCUMULATED: the leaf's tensor; else NULL */
  tenon_tensor* const* grads;   /* GRAD: the one; BEFORE: of the node's outputs; AFTER: of its
                                 * inputs; borrowed, NULL: none */
  tenon_tensor* const* outputs; /* AFTER: gradients of the node's outputs, borrowed */
  tenon_tensor** out_grads;     /* NULL on entry: room for other `grads`, owned */
  int64_t ngrads;               /* ACCUMULATED: 0 */
  int64_t noutputs;
  int32_t replaces;     /* 0 on entry; 1: `out_grads` take the place of `grads`, NULL: none */
  uint32_t reserved0;   /* zero */
  uint64_t reserved[2]; /* zero */
} tenon_hook_call;

/* Returns TENON_OK, or a code with the error in the thread's slot: the pass ends with it. Gradients
 * that replace others have the same sizes, dtype and device. Runs on the thread that runs the pass,
 * whose grad mode says whether its calls are recorded. */
typedef tenon_status (*tenon_hook_fn)(tenon_hook_call* call);

/* A hook to add. */
typedef struct tenon_hook_options {
  uint32_t struct_size; /* sizeof(tenon_hook_options) */
  uint32_t kind;        /* TENON_HOOK_* */
  tenon_hook_fn fn;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also when adding fails; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number: whose `ctx` is */
  uint32_t reserved0;    /* zero */
  uint64_t reserved[2];  /* zero */
} tenon_hook_options;

/// Adds a hook to a tensor that requires gradients: GRAD, or ACCUMULATED for a leaf. It is for what
/// the tensor is now: a later write in place gives the tensor another node, and leaves the hook
/// with the gradient of the old value.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, no function and another kind,
///            TENON_ERROR_STATE for a tensor that does not require gradients, and for ACCUMULATED
///            with a tensor that is no leaf; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_hook` (may be NULL) is owned by the caller.
/// Threads:   any thread; passes that run meanwhile may or may not call it.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_add_hook(tenon_tensor* tensor,
                                             const tenon_hook_options* options,
                                             tenon_hook** out_hook);

/// Adds a hook to a node: BEFORE or AFTER. They do not run where a pass only asks for the gradient
/// of one of the node's outputs.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no node, no function and another kind,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_hook` (may be NULL) is owned by the caller.
/// Threads:   any thread; passes that run meanwhile may or may not call it.
/// Since:     0.1
TENON_API tenon_status tenon_node_add_hook(tenon_node* node, const tenon_hook_options* options,
                                           tenon_hook** out_hook);

/// Removes a hook: no run of it begins any more, and its deleter runs as soon as none is under way.
/// Removing it again does nothing; so does removing one whose node is gone.
///
/// Threads:   any thread; also from inside the hook.
/// Since:     0.1
TENON_API void tenon_hook_remove(tenon_hook* hook);

/// Adds a reference; NULL stays NULL.
///
/// Ownership: returns `hook`, owned once more.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_hook* tenon_hook_retain(tenon_hook* hook);

/// Drops a reference. The hook stays where it was added.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_hook_release(tenon_hook* hook);

/* ---- Tensors ---------------------------------------------------------------------------- */

/// Makes passes leave gradients with a tensor that is no leaf, added to what is there, after all
/// hooks of its gradient. It follows the tensor through writes in place. Does nothing for leaves.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, TENON_ERROR_STATE for a tensor that does
///            not require gradients, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; nobody else uses the tensor meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_retain_grad(tenon_tensor* tensor);

/// Tells whether passes leave gradients with a tensor that is no leaf.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_retains_grad(const tenon_tensor* tensor);

/// Returns the dtype that gradients of a leaf are converted to: the tensor's own, unless another
/// was set; TENON_DTYPE_NONE for any.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_dtype tenon_tensor_grad_dtype(const tenon_tensor* tensor);

/// Sets the dtype that gradients of a tensor are converted to, of a recorded call's result before
/// its formula gets them; TENON_DTYPE_NONE takes gradients of any dtype as they come.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, TENON_ERROR_TYPE for a dtype that is
///            neither floating nor complex, TENON_ERROR_STATE for a tensor that has a gradient of
///            another dtype; TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; nobody else uses the tensor meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_grad_dtype(tenon_tensor* tensor, tenon_dtype dtype);

/// Counts a write of a tensor's elements that no operator made, so that backward passes which need
/// the old ones fail.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, TENON_ERROR_STATE for an inference one.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_increment_version(tenon_tensor* tensor);

/* ---- Nodes ------------------------------------------------------------------------------ */

/// Returns the tensor whose gradients a leaf keeps; NULL for other nodes, and when the tensor is
/// gone.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_node_copy_variable(const tenon_node* node);

/// Returns how many references to a node there are.
///
/// Threads:   any thread; a number above 1 may be old at once.
/// Since:     0.1
TENON_API int64_t tenon_node_use_count(const tenon_node* node);

/// Returns the address of a language's word on a node, for the one object that stands for the node
/// there. Words are atomic: who has no lock of its language uses compare-exchange.
///
/// Errors:    NULL for an unknown language, and when memory is short.
/// Ownership: borrowed until the node dies; the object in it is the language's.
/// Threads:   any thread; reading and writing the word is the language's business.
/// Since:     0.1
TENON_API void** tenon_node_cell(tenon_node* node, uint32_t language);

/// Puts an object into a language's word of a node and says who owns it: with `drop` the node,
/// which drops it at its end; without, the language. Another object than the one that is there
/// drops that one, where the node owns it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown language, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `object` where `drop` is given, on success only.
/// Threads:   any thread; one at a time for each node and language.
/// Since:     0.1
TENON_API tenon_status tenon_node_own_cell(tenon_node* node, uint32_t language, void* object,
                                           tenon_deleter drop);

/* ---- Saved tensors ---------------------------------------------------------------------- */

/* Packs a tensor that a node is about to save: writes an owned value that stands for it. The tensor
 * is borrowed, has the elements of the saved one and no gradient, and must not be written. Returns
 * TENON_OK, or a code with the error in the thread's slot: the recorded call fails. */
typedef tenon_status (*tenon_pack_fn)(void* ctx, tenon_tensor* tensor, tenon_value* out_packed);
/* Gives the tensor that a packed value stands for, owned by the caller. Called each time that a
 * pass comes to the node. */
typedef tenon_status (*tenon_unpack_fn)(void* ctx, const tenon_value* packed,
                                        tenon_tensor** out_tensor);

/* Hooks of saved tensors. */
typedef struct tenon_saved_hooks {
  uint32_t struct_size; /* sizeof(tenon_saved_hooks) */
  uint32_t language;    /* TENON_LANGUAGE_*, or a registered number: whose `ctx` is */
  tenon_pack_fn pack;
  tenon_unpack_fn unpack;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also on failure; may be NULL */
  uint64_t reserved[2];  /* zero */
} tenon_saved_hooks;

/// Makes the calling thread's calls save tensors packed by these hooks, instead of those that were
/// pushed before, until they are popped. Thread states carry them. What they pack keeps them.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for missing functions, TENON_ERROR_STATE with the reason
///            as message where they are disabled, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure.
/// Threads:   any thread; its own.
/// Since:     0.1
TENON_API tenon_status tenon_saved_hooks_push(const tenon_saved_hooks* hooks);

/// Takes away the hooks that were pushed last, with this ctx.
///
/// Errors:    TENON_ERROR_STATE where the last ones have another ctx, and where there are none.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_saved_hooks_pop(void* ctx);

/// Refuses hooks of saved tensors on the calling thread for a reason; NULL allows them again.
///
/// Errors:    TENON_ERROR_STATE with the reason as message where some are pushed,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; its own.
/// Since:     0.1
TENON_API tenon_status tenon_saved_hooks_disable(const char* reason);

/// Returns why hooks of saved tensors are disabled on the calling thread, NULL where they are not.
///
/// Ownership: borrowed until the thread says otherwise.
/// Threads:   any thread; its own.
/// Since:     0.1
TENON_API const char* tenon_saved_hooks_refusal(void);

/// Returns how many things the formula of a node's operator saves: tensors and other values.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_node_saved_count(const tenon_node* node);

/// Writes the name of what a node saves: that of an argument or a result ("self", "result"), with
/// "_sizes" and so on where only that of a tensor is saved.
///
/// Errors:    TENON_ERROR_INDEX.
/// Ownership: `out_name` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_node_saved_name(const tenon_node* node, int64_t index,
                                             tenon_buffer** out_name);

/// Gives what a node has saved: a tensor as it was to the graph, NONE for one that no gradient
/// needs.
///
/// Errors:    TENON_ERROR_INDEX; TENON_ERROR_STATE for what a backward pass has freed, and for a
///            tensor that was written since; what an unpack hook raised.
/// Ownership: the caller clears `out_value`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_node_copy_saved(tenon_node* node, int64_t index,
                                             tenon_value* out_value);

/// Packs a tensor that a node has saved, or each of a list.
///
/// Errors:    TENON_ERROR_INDEX; TENON_ERROR_INVALID_ARGUMENT for missing functions and for what
///            holds no tensor, TENON_ERROR_STATE for what is packed already or was freed; what the
///            hook raised.
/// Ownership: takes over `ctx`, also on failure.
/// Threads:   any thread; no pass comes to the node meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_node_pack_saved(tenon_node* node, int64_t index,
                                             const tenon_saved_hooks* hooks);

/* ---- New nodes, and what went wrong with them ------------------------------------------- */

/* Called with a node that was just recorded, before its results lead to it. Returns TENON_OK, or a
 * code with the error in the thread's slot: the recorded call fails. */
typedef tenon_status (*tenon_node_fn)(void* ctx, tenon_node* node);

/// Calls a function with each node that the calling thread's calls record, after those that were
/// pushed before, until it is popped. Thread states carry it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no function, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure: `deleter` (may be NULL) runs exactly once.
/// Threads:   any thread; its own.
/// Since:     0.1
TENON_API tenon_status tenon_creation_hook_push(tenon_node_fn fn, void* ctx, tenon_deleter deleter);

/// Takes away the function that was pushed last, with this ctx.
///
/// Errors:    TENON_ERROR_STATE where the last one has another ctx, and where there is none.
/// Threads:   owner thread.
/// Since:     0.1
TENON_API tenon_status tenon_creation_hook_pop(void* ctx);

#define TENON_ANOMALY_RECORD 1u    /* nodes note where they were made: what fails later says it */
#define TENON_ANOMALY_CHECK_NAN 2u /* a node that gives NaN fails */

/// Sets the calling thread's anomaly mode, which passes and recorded calls look at. Thread states
/// carry it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for unknown flags, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; its own.
/// Since:     0.1
TENON_API tenon_status tenon_anomaly_set(uint32_t flags);

/// Returns the calling thread's anomaly mode, TENON_ANOMALY_*.
///
/// Threads:   any thread; its own.
/// Since:     0.1
TENON_API uint32_t tenon_anomaly_get(void);

/* ---- For collectors of cycles ------------------------------------------------------------ */

#define TENON_OWNED_CELL 0u /* an object in the language's word of a tensor or node that owns it */
#define TENON_OWNED_HOOK 1u /* `ctx` of a hook */
#define TENON_OWNED_OBJECT 2u /* `self` of an object that was saved or packed */

#define TENON_OWNED_SAVED_HOOKS 3u /* `ctx` of hooks of saved tensors */

/* Told of an object; returns 0 to go on. */
typedef int32_t (*tenon_owned_fn)(void* ctx, uint32_t kind, void* object);

/// Tells a language's collector of cycles which of its objects nobody but a tensor keeps: through
/// its node, what that saved, hooks, and older nodes. The tensor must have no other reference than
/// the caller's; what others hold, too, is left out, and what lies behind some thousand nodes.
///
/// Errors:    returns what `visit` returned where that was not 0; else 0.
/// Threads:   any thread; `visit` runs on it, and must not change anything.
/// Since:     0.1
TENON_API int32_t tenon_tensor_visit_owned(const tenon_tensor* tensor, uint32_t language,
                                           tenon_owned_fn visit, void* ctx);

/// The same for a node that has no other reference than the caller's.
///
/// Errors:    returns what `visit` returned where that was not 0; else 0.
/// Threads:   any thread; `visit` runs on it, and must not change anything.
/// Since:     0.1
TENON_API int32_t tenon_node_visit_owned(const tenon_node* node, uint32_t language,
                                         tenon_owned_fn visit, void* ctx);

/// Removes a language's hooks that tenon_tensor_visit_owned tells of: the tensor is garbage.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_tensor_clear_owned(tenon_tensor* tensor, uint32_t language);

/// Removes a language's hooks that tenon_node_visit_owned tells of: the node is garbage.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_node_clear_owned(tenon_node* node, uint32_t language);

/* ---- The pass that runs ----------------------------------------------------------------- */

/// Returns a number of the backward pass that runs on the calling thread, the innermost where one
/// runs inside another: no other pass of the process has it. 0 where none runs.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_backward_pass(void);

/// Tells whether the backward pass that runs on the calling thread comes to a node, or has been
/// there.
///
/// Errors:    0 where no pass runs, and when memory is short.
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_backward_reaches(const tenon_node* node);

/// Gives the gradient that the backward pass on the calling thread has so far for an output of a
/// node that has not run; NULL where none has come, or no pass runs. What comes later does not
/// change it.
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
/// It does not run where the pass fails before. Functions run in the order in which they came, and
/// may add more; the first error ends the pass.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no function, TENON_ERROR_STATE where no pass runs,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure: `deleter` (may be NULL) runs exactly once.
/// Threads:   any thread; the function runs on the same one.
/// Since:     0.1
TENON_API tenon_status tenon_backward_when_done(tenon_done_fn fn, void* ctx, tenon_deleter deleter);

TENON_END_DECLS

#endif /* TENON_HOOKS_H */
