/* SPDX-License-Identifier: Apache-2.0 */
/* Autograd: tensors that ask for gradients, gradient formulas of operators, and backward passes. */
#ifndef TENON_AUTOGRAD_H
#define TENON_AUTOGRAD_H

#include "tenon/common.h"
#include "tenon/library.h"
#include "tenon/value.h"

TENON_BEGIN_DECLS

/* A step of a backward graph: recorded with a call whose arguments are tracked, it knows the
 * formula, what the formula saved, and by its edges the nodes that made the arguments. A tensor
 * that asks for gradients itself has a leaf, a node without formula. */
typedef struct tenon_node tenon_node; /* refcounted */

/* What a call with a gradient of its own keeps for its backward pass: see function.h. */
typedef struct tenon_function_context tenon_function_context;

/* ---- Tensors ---------------------------------------------------------------------------- */

/// Tells whether gradients flow to a tensor: it asks for them, or was made from one that does by a
/// recorded call.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_requires_grad(const tenon_tensor* tensor);

/// Makes a leaf ask for gradients, or no longer.
///
/// Errors:    TENON_ERROR_TYPE for a dtype that is neither floating nor complex, NOT_SUPPORTED for
///            a symbolic shape, TENON_ERROR_STATE for a recorded tensor that is to stop asking, for
///            inference tensors and those without memory of their own, TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; nobody else uses the tensor meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_requires_grad(tenon_tensor* tensor, int32_t requires_grad);

/// Tells whether a tensor was made by no recorded call: gradients end here.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_is_leaf(const tenon_tensor* tensor);

/// Gives the gradient that backward passes have left with a leaf; NULL without one.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor.
/// Ownership: `out_grad` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_grad(const tenon_tensor* tensor, tenon_tensor** out_grad);

/// Sets a leaf's gradient, of the tensor's sizes, dtype and device; NULL clears it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a gradient that differs or is the tensor itself,
///            TENON_ERROR_STATE for a tensor that is no leaf, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the gradient is retained.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_grad(tenon_tensor* tensor, tenon_tensor* grad);

/// Gives a tensor on the same memory that has nothing else in common with the first: no gradients
/// flow to it, and what is written through it counts as versions of its own, so that backward
/// passes do not notice. The first one's storage does not grow any more.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, the undefined tensor and tensors without
///            memory of their own, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_data` is owned by the caller, and keeps the memory.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_data(const tenon_tensor* tensor, tenon_tensor** out_data);

/// Makes a tensor lie on the memory of `data`, with its shape, dtype and device. What autograd
/// keeps for the tensor stays: whether it asks for gradients, its gradient, the node that made it,
/// its count of versions, or that it is an inference tensor. Views that were made of it stay on the
/// old memory.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, the undefined tensor and tensors without
///            memory of their own; TENON_ERROR_STATE for a view; TENON_ERROR_TYPE for a dtype
///            without gradients where the tensor requires grad; TENON_ERROR_NOT_SUPPORTED for a
///            leaf that gets many dims more than it had, beyond five; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the memory of `data` is kept.
/// Threads:   any thread; nobody else uses the tensor meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_data(tenon_tensor* tensor, const tenon_tensor* data);

/// Makes a tensor a leaf that asks for no gradients. What was made from it keeps its graph.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor and the undefined tensor,
///            TENON_ERROR_STATE for a view.
/// Threads:   any thread; nobody else uses the tensor meanwhile.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_detach(tenon_tensor* tensor);

/// Gives the node that gradients of a tensor go to, and which of its outputs the tensor is. A leaf
/// that asks for gradients has its own; NULL for a tensor that no gradient flows to. A view whose
/// base was written gets a new node.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for no tensor, TENON_ERROR_STATE for a view made in
///            no_grad or inference mode whose base was written since.
/// Ownership: `out_node` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_node(const tenon_tensor* tensor, tenon_node** out_node,
                                              int64_t* out_output);

/// Returns the tensor that a view is a view of, never a view itself; NULL for all others.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_tensor_copy_base(const tenon_tensor* tensor);

/* ---- Formulas --------------------------------------------------------------------------- */

/* One node to be run backward. Inputs are the operator's tensor arguments in order, the elements of
 * a list one by one; outputs are its tensor results in the same way. */
typedef struct tenon_backward_call {
  tenon_node* node;
  void* ctx;                  /* the formula's */
  tenon_tensor* const* grads; /* of the outputs, borrowed; NULL: none came */
  const tenon_value* saved;   /* what `saves` named or `setup` saved, borrowed */
  const uint8_t* needs;       /* 1 for each input that a gradient is wanted for */
  tenon_tensor** out_grads;   /* NULL on entry; owned gradients, or NULL: none */
  int64_t noutputs;
  int64_t nsaved;
  int64_t ninputs;
  tenon_function_context* context; /* of the call: with `setup`, and of functions; else NULL */
  uint64_t reserved[1];            /* zero */
} tenon_backward_call;

/* Writes a gradient for each input that wants one. It need not have the input's sizes and dtype
 * where the operator has broadcast or converted that: it is summed and converted. The thread's grad
 * mode says whether these calls are recorded themselves. Returns TENON_OK, or a code with the error
 * in the thread's slot. Runs on the thread that asked for the backward pass. */
typedef tenon_status (*tenon_backward_fn)(const tenon_backward_call* call);

/* Looks at a call after its kernel ran, with its arguments and results, and leaves in the call's
 * context what the backward pass needs: see tenon_function_context_save. Runs where the result is
 * recorded, in no_grad mode. Returns TENON_OK, or a code with the error in the thread's slot. */
typedef tenon_status (*tenon_setup_fn)(void* ctx, tenon_function_context* context,
                                       const tenon_stack* call);

/* Forward mode: from the tangents of the inputs, borrowed, NONE where there is none, those of the
 * results, owned or NONE, as many as the context tells. Tangents that inputs have not are zeros,
 * where it materializes gradients. Runs after the call, in its grad mode. Returns as the others. */
typedef tenon_status (*tenon_jvp_fn)(void* ctx, tenon_function_context* context,
                                     const tenon_value* tangents, tenon_value* out_tangents);

/* A gradient formula to register: as text, or as a function. Texts are copied.
 *
 * `gradient` is such as "self: grad * other; other: grad * self", with one expression for an
 * argument (or for several, apart by commas, and a tuple). It knows the operator's arguments and
 * results by name, `result`, `result0`, `grad` and `grads[0]`, numbers, lists, + - * /, and calls
 * operators of `aten` and `tenon` as functions or methods.
 *
 * `tangent` (may be NULL) is the result's in forward mode, such as "self_t * other + self *
 * other_t", or "values: ...; rest: ..." of several results: `x_t` is the tangent of argument x,
 * `zeros` stands for zeros. Without it tangents come from the gradient formula, which is derived.
 *
 * `backward` needs `saves`, names of arguments and results apart by blanks, or NULL; what these
 * name is saved when a call is recorded. What an operator in place overwrites is copied before.
 * With `setup` instead of `saves` it says so itself, for each call. */
typedef struct tenon_formula {
  uint32_t struct_size; /* sizeof(tenon_formula) */
  uint32_t flags;       /* zero */
  const char* gradient;
  tenon_backward_fn backward;
  const char* saves;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also when registration fails; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number */
  uint32_t policy;       /* TENON_REPLACE_* */
  const char* name;      /* NULL or the function's name, for dumps and errors */
  const char* file;      /* NULL or where it is registered */
  int32_t line;
  uint32_t reserved0;   /* zero */
  tenon_setup_fn setup; /* NULL, or what looks at each recorded call */
  tenon_jvp_fn jvp;     /* NULL, or what serves forward mode */
  const char* tangent;  /* NULL, or the tangents of results */
  uint64_t reserved[1]; /* zero */
} tenon_formula;

/// Registers the gradient formula of an operator: a kernel on Autograd for calls of tracked
/// tensors, which calls on below, records a node and links the results to it. Nodes keep the
/// formula though its registration be removed.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad description or name, TENON_ERROR_PARSE for a
///            text that is none, TENON_ERROR_ALREADY_EXISTS by policy, TENON_ERROR_STATE for a
///            closed library, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_registration` (may be NULL) is owned by the
///            caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_register_autograd(tenon_library* library, const char* name,
                                                       const tenon_formula* formula,
                                                       tenon_registration** out_registration);

#define TENON_GRADIENT_ERROR 0u /* a backward pass that comes to a call fails: the default */
#define TENON_GRADIENT_WARN 1u  /* it warns, and gives no gradient */
#define TENON_GRADIENT_STOP 2u  /* calls are not recorded */

/// Says what becomes of gradients that come to calls of an operator without formula: a kernel on
/// Autograd, until there is one. "_" in a library of "_": of all that have neither, by a fallback.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown policy or a bad name, TENON_ERROR_STATE
///            for a closed library, TENON_ERROR_OUT_OF_MEMORY; those of tenon_library_fallback.
/// Ownership: `out_registration` (may be NULL) is owned by the caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_set_gradient_policy(tenon_library* library, const char* name,
                                                         uint32_t policy,
                                                         tenon_registration** out_registration);

/* ---- Nodes ------------------------------------------------------------------------------ */

/// Adds a reference; NULL stays NULL.
///
/// Ownership: returns `node`, owned once more.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_node* tenon_node_retain(tenon_node* node);

/// Drops a reference. The last one frees the node, what it saved, and the nodes that only it led
/// to, without recursion.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_node_release(tenon_node* node);

/// Returns a node's name, such as "MulBackward0", "AccumulateGrad" for a leaf.
///
/// Ownership: borrowed from the node.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_node_name(const tenon_node* node);

/// Returns a number that is larger than that of every node the edges lead to.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_node_sequence(const tenon_node* node);

/// Returns how many edges a node has: one for each input of its formula.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_node_edge_count(const tenon_node* node);

/// Gives the node that an edge leads to, and which of its outputs; NULL where no gradient is
/// wanted.
///
/// Errors:    TENON_ERROR_INDEX for a number that is not below the count.
/// Ownership: `out_node` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_node_copy_edge(const tenon_node* node, int64_t index,
                                            tenon_node** out_node, int64_t* out_output);

/* ---- Backward passes -------------------------------------------------------------------- */

#define TENON_BACKWARD_KEEP_GRAPH 1u   /* what nodes saved stays for another pass */
#define TENON_BACKWARD_CREATE_GRAPH 2u /* the pass is recorded itself; keeps the graph, too */
#define TENON_BACKWARD_ALLOW_UNUSED \
  4u /* tenon_grad: an input that no output depends on gets NULL */

/* Where a backward pass begins and ends. */
typedef struct tenon_backward_options {
  uint32_t struct_size;         /* sizeof(tenon_backward_options) */
  uint32_t flags;               /* TENON_BACKWARD_* */
  tenon_tensor* const* outputs; /* tracked tensors */
  tenon_tensor* const* grads;   /* NULL, or one for each output; NULL there: 1 for one element */
  tenon_tensor* const* inputs;  /* tenon_backward: NULL, or the tensors that gradients are for */
  int64_t noutputs;
  int64_t ninputs;
  /* NULL, or nodes for the outputs (inputs) that are NULL above: output `numbers` of a node stands
   * for the tensor that it has made. */
  tenon_node* const* output_nodes;
  const int64_t* output_numbers;
  tenon_node* const* input_nodes;
  const int64_t* input_numbers;
  uint64_t reserved[4]; /* zero */
} tenon_backward_options;

/// Runs a backward pass: gradients of `outputs` flow through the graph and are added to those of
/// the leaves. The first error ends it; gradients that were added before stay.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for outputs without gradient that have not one element,
///            and for gradients of other sizes; TENON_ERROR_STATE for outputs that are not tracked,
///            a graph that was freed, and saved tensors that were written since;
///            what a formula raised.
/// Threads:   any thread; *blocks*. Formulas run on the calling thread. Passes of many threads run
///            at once, over shared graphs too.
/// Since:     0.1
TENON_API tenon_status tenon_backward(const tenon_backward_options* options);

/// Runs a backward pass and gives the gradients of `inputs`, tracked tensors, instead of adding to
/// those of leaves: `out_grads` has room for `ninputs`.
///
/// Errors:    as tenon_backward; TENON_ERROR_STATE for inputs that are not tracked, and that no
///            output depends on without TENON_BACKWARD_ALLOW_UNUSED. All `out_grads` are NULL then.
/// Ownership: gradients are owned by the caller.
/// Threads:   any thread; *blocks*, as tenon_backward.
/// Since:     0.1
TENON_API tenon_status tenon_grad(const tenon_backward_options* options, tenon_tensor** out_grads);

TENON_END_DECLS

#endif /* TENON_AUTOGRAD_H */
