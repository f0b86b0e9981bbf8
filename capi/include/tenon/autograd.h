/* SPDX-License-Identifier: Apache-2.0 */
/* Autograd: tensors that require grad, gradient formulas of operators, and backward passes. */
#ifndef TENON_AUTOGRAD_H
#define TENON_AUTOGRAD_H

#include "tenon/common.h"
#include "tenon/library.h"
#include "tenon/value.h"

// Usage:
//
//   tenon_backward_options options = {sizeof options};
//   options.outputs = &loss;
//   options.noutputs = 1;
//   status = tenon_tensor_set_requires_grad(x, 1);
//   /* ... compute loss, a tensor of one element, from x ... */
//   if (!status) status = tenon_backward(&options);
//   if (!status) status = tenon_tensor_copy_grad(x, &grad);

TENON_BEGIN_DECLS

/* A step of a backward graph. It is recorded with a call whose arguments are tracked and holds the
 * formula, the values that the formula saved, and edges to the nodes that made the arguments. A
 * leaf that requires grad has a leaf node, which has no formula. */
typedef struct tenon_node tenon_node; /* refcounted */

/* State of a call with a custom gradient, kept for its backward pass: see function.h. */
typedef struct tenon_function_context tenon_function_context;

/* ---- Tensors ---------------------------------------------------------------------------- */

/// Returns 1 if a tensor requires grad: it is a leaf for which that was requested, or a recorded
/// call made it from a tensor that requires grad. Returns 0 otherwise.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_requires_grad(const tenon_tensor* tensor);

/// Sets whether a leaf requires grad.
///
/// Errors:    TENON_ERROR_TYPE for a dtype that is neither floating nor complex, NOT_SUPPORTED for
///            a symbolic shape, TENON_ERROR_STATE for clearing it on a tensor that a recorded call
///            made, for inference tensors and those without memory of their own,
///            TENON_ERROR_OUT_OF_MEMORY.
/// Threads:   any thread; no other thread may use the tensor during the call.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_requires_grad(tenon_tensor* tensor, int32_t requires_grad);

/// Returns 1 if a tensor was not made by a recorded call, so that gradients end at it, and 0
/// otherwise.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int32_t tenon_tensor_is_leaf(const tenon_tensor* tensor);

/// Returns the gradient that backward passes have accumulated in a leaf, or NULL if there is none.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT if `tensor` is NULL.
/// Ownership: `out_grad` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_grad(const tenon_tensor* tensor, tenon_tensor** out_grad);

/// Sets a leaf's gradient, which must have the tensor's sizes, dtype and device. NULL clears it.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a gradient that does not match or is the tensor
///            itself, TENON_ERROR_STATE for a tensor that is no leaf, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the gradient is retained.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_grad(tenon_tensor* tensor, tenon_tensor* grad);

/// Returns a tensor that shares the memory of another one, but neither its autograd state nor its
/// version counter. Gradients do not flow to it, and backward passes do not detect writes through
/// it. The storage of the original tensor can no longer grow.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, the undefined tensor and tensors without
///            memory of their own, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: `out_data` is owned by the caller, and keeps the memory alive.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_data(const tenon_tensor* tensor, tenon_tensor** out_data);

/// Replaces a tensor's memory, shape, dtype and device by those of `data`. The autograd state of
/// the tensor is kept: whether it requires grad, its gradient, its node, its version counter, and
/// whether it is an inference tensor. Views of the tensor keep the old memory.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, the undefined tensor and tensors without
///            memory of their own; TENON_ERROR_STATE for a view; TENON_ERROR_TYPE for a dtype
///            without gradients if the tensor requires grad; TENON_ERROR_NOT_SUPPORTED for a leaf
///            that gets many dims more than it had, beyond five; TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: the tensor retains the memory of `data`.
/// Threads:   any thread; no other thread may use the tensor during the call.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_set_data(tenon_tensor* tensor, const tenon_tensor* data);

/// Turns a tensor into a leaf that does not require grad. Tensors that were made from it keep their
/// graph.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL and the undefined tensor, TENON_ERROR_STATE for
///            a view.
/// Threads:   any thread; no other thread may use the tensor during the call.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_detach(tenon_tensor* tensor);

/// Returns the node that receives the gradients of a tensor, and the index of the tensor among the
/// outputs of that node. A leaf that requires grad has a node of its own. The node is NULL if no
/// gradient flows to the tensor. A view gets a new node after its base was written in place.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for NULL, TENON_ERROR_STATE for a view made in no_grad
///            or inference mode whose base was written since.
/// Ownership: `out_node` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_tensor_copy_node(const tenon_tensor* tensor, tenon_node** out_node,
                                              int64_t* out_output);

/// Returns the base of a view, which is never a view itself, or NULL if `tensor` is no view.
///
/// Ownership: new reference.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_tensor* tenon_tensor_copy_base(const tenon_tensor* tensor);

/* ---- Formulas --------------------------------------------------------------------------- */

/* One node to run backward. Its inputs are the operator's tensor arguments in order, with the
 * elements of lists counted separately; its outputs are the operator's tensor results, counted in
 * the same way. */
typedef struct tenon_backward_call {
  tenon_node* node;
  void* ctx;                  /* context of the formula */
  tenon_tensor* const* grads; /* gradients of the outputs, borrowed; NULL: no gradient */
  const tenon_value* saved;   /* values that `saves` named or `setup` saved, borrowed */
  const uint8_t* needs;       /* 1 for each input whose gradient is needed */
  tenon_tensor** out_grads;   /* NULL on entry; owned gradients; NULL: no gradient */
  int64_t noutputs;
  int64_t nsaved;
  int64_t ninputs;
  tenon_function_context* context; /* with `setup`, and of functions; otherwise NULL */
  uint64_t reserved[1];            /* zero */
} tenon_backward_call;

/* Writes the gradient of each input that needs one. The gradient may have the broadcast sizes and
 * the converted dtype of the operator: it is summed and converted to match the input. Whether the
 * calls that this function makes are recorded depends on the thread's grad mode. Returns TENON_OK,
 * or a code with the error in the thread's slot. Runs on the thread that runs the backward pass. */
typedef tenon_status (*tenon_backward_fn)(const tenon_backward_call* call);

/* Runs after the kernel of a call, with its arguments and results, and saves what the backward pass
 * needs in the call's context: see tenon_function_context_save. Runs in no_grad mode, and only if
 * the result is recorded. Returns TENON_OK, or a code with the error in the thread's slot. */
typedef tenon_status (*tenon_setup_fn)(void* ctx, tenon_function_context* context,
                                       const tenon_stack* call);

/* Computes the tangents of the results in forward mode. `tangents` are those of the inputs,
 * borrowed, NONE if an input has none; if the context materializes gradients, missing tangents are
 * zeros. `out_tangents` receives an owned tensor or NONE for each output of the context. Runs after
 * the call, in the grad mode of the call. Returns TENON_OK, or a code with the error in the
 * thread's slot. */
typedef tenon_status (*tenon_jvp_fn)(void* ctx, tenon_function_context* context,
                                     const tenon_value* tangents, tenon_value* out_tangents);

/* Bits of tenon_formula.flags that hold the number at the end of nodes' names: 1 for the overload
 * of `sum` whose nodes are named "SumBackward1". */
#define TENON_FORMULA_NODE_NUMBER 0xFFu

/* A gradient formula to register, as text or as a function. Texts are copied.
 *
 * `gradient` is a text such as "self: grad * other; other: grad * self". It has one expression for
 * an argument, or a tuple for several arguments separated by commas. Expressions can use the
 * operator's arguments and results by name, `result`, `result0`, `grad` and `grads[0]`, numbers,
 * lists and + - * /. They can call operators of `aten` and `tenon` as functions or methods.
 *
 * `tangent` (may be NULL) is the tangent of the result in forward mode, such as "self_t * other +
 * self * other_t", or "values: ...; rest: ..." for several results. `x_t` is the tangent of
 * argument x, and `zeros` is a tensor of zeros. If `tangent` is NULL, tangents are derived from the
 * gradient formula.
 *
 * `backward` needs `saves`, the names of arguments and results to save, separated by blanks, or
 * NULL. They are saved when a call is recorded. An argument that an in-place operator overwrites is
 * copied before. If there is a `setup` function instead of `saves`, it decides for each call what
 * is saved. */
typedef struct tenon_formula {
  uint32_t struct_size; /* sizeof(tenon_formula) */
  uint32_t flags;       /* TENON_FORMULA_* bits */
  const char* gradient;
  tenon_backward_fn backward;
  const char* saves;
  void* ctx;
  tenon_deleter deleter; /* runs on ctx exactly once, also when registration fails; may be NULL */
  uint32_t language;     /* TENON_LANGUAGE_*, or a registered number */
  uint32_t policy;       /* TENON_REPLACE_* */
  const char* name;      /* NULL or the name of the function, for dumps and errors */
  const char* file;      /* NULL or the place of registration */
  int32_t line;
  uint32_t reserved0;   /* zero */
  tenon_setup_fn setup; /* NULL, or runs for each recorded call */
  tenon_jvp_fn jvp;     /* NULL, or computes tangents in forward mode */
  const char* tangent;  /* NULL, or the text of the results' tangents */
  uint64_t reserved[1]; /* zero */
} tenon_formula;

/// Registers the gradient formula of an operator. This adds a kernel on Autograd for calls of
/// tracked tensors, which runs the kernel below, records a node and links the results to it. Nodes
/// keep the formula alive even if its registration is removed.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for a bad description or name, TENON_ERROR_PARSE for a
///            malformed text, TENON_ERROR_ALREADY_EXISTS by policy, TENON_ERROR_STATE for a
///            closed library, TENON_ERROR_OUT_OF_MEMORY.
/// Ownership: takes over `ctx`, also on failure. `out_registration` (may be NULL) is owned by the
///            caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_register_autograd(tenon_library* library, const char* name,
                                                       const tenon_formula* formula,
                                                       tenon_registration** out_registration);

#define TENON_GRADIENT_ERROR 0u /* a backward pass that reaches a call fails: the default */
#define TENON_GRADIENT_WARN 1u  /* it warns and propagates no gradient */
#define TENON_GRADIENT_STOP 2u  /* calls are not recorded */

/// Sets how backward treats calls of an operator that has no gradient formula. The policy is a
/// kernel on Autograd, which is used until a formula is registered. With the name "_" in a library
/// of "_", a fallback applies it to all operators that have neither a formula nor a policy.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for an unknown policy or a bad name, TENON_ERROR_STATE
///            for a closed library, TENON_ERROR_OUT_OF_MEMORY; also as tenon_library_fallback.
/// Ownership: `out_registration` (may be NULL) is owned by the caller.
/// Threads:   any thread; *blocks*, runs listeners.
/// Since:     0.1
TENON_API tenon_status tenon_library_set_gradient_policy(tenon_library* library, const char* name,
                                                         uint32_t policy,
                                                         tenon_registration** out_registration);

/* ---- Nodes ------------------------------------------------------------------------------ */

/// Adds a reference and returns `node`. NULL is accepted and returned.
///
/// Ownership: the caller owns one more reference to `node`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_node* tenon_node_retain(tenon_node* node);

/// Drops a reference. The last one frees the node, its saved values, and all nodes that are only
/// reachable through it, without recursion.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API void tenon_node_release(tenon_node* node);

/// Returns a node's name, such as "MulBackward0", or "AccumulateGrad" for a leaf.
///
/// Ownership: borrowed from the node.
/// Threads:   any thread.
/// Since:     0.1
TENON_API const char* tenon_node_name(const tenon_node* node);

/// Returns a node's sequence number, which is larger than that of every node that its edges lead
/// to.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_node_sequence(const tenon_node* node);

/// Returns the number of a node's edges: one for each input of its formula.
///
/// Threads:   any thread.
/// Since:     0.1
TENON_API int64_t tenon_node_edge_count(const tenon_node* node);

/// Returns the node that an edge leads to, and the output of that node. The node is NULL if the
/// input needs no gradient.
///
/// Errors:    TENON_ERROR_INDEX if `index` is out of range.
/// Ownership: `out_node` is owned by the caller.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_node_copy_edge(const tenon_node* node, int64_t index,
                                            tenon_node** out_node, int64_t* out_output);

/* ---- Backward passes -------------------------------------------------------------------- */

#define TENON_BACKWARD_KEEP_GRAPH 1u   /* saved values are kept for another pass */
#define TENON_BACKWARD_CREATE_GRAPH 2u /* the pass itself is recorded; implies KEEP_GRAPH */
#define TENON_BACKWARD_ALLOW_UNUSED \
  4u /* tenon_grad: an input that no output depends on gets NULL */

/* Outputs and inputs of a backward pass. */
typedef struct tenon_backward_options {
  uint32_t struct_size;         /* sizeof(tenon_backward_options) */
  uint32_t flags;               /* TENON_BACKWARD_* */
  tenon_tensor* const* outputs; /* tracked tensors */
  tenon_tensor* const* grads;   /* NULL, or one per output; a NULL element is 1 for one-element
                                 * outputs */
  tenon_tensor* const* inputs;  /* tenon_backward: NULL, or the tensors to accumulate into */
  int64_t noutputs;
  int64_t ninputs;
  /* NULL, or nodes for the outputs (inputs) that are NULL above. Such an output (input) is the
   * tensor that the node made as its output `numbers`. */
  tenon_node* const* output_nodes;
  const int64_t* output_numbers;
  tenon_node* const* input_nodes;
  const int64_t* input_numbers;
  uint64_t reserved[4]; /* zero */
} tenon_backward_options;

/// Runs a backward pass: propagates gradients from `outputs` through the graph and adds them to
/// those of the leaves. The first error stops it; gradients that were added before remain.
///
/// Errors:    TENON_ERROR_INVALID_ARGUMENT for outputs without gradient that do not have exactly
///            one element, and for gradients of other sizes; TENON_ERROR_STATE for outputs that are
///            not tracked, a graph that was freed, and saved tensors that were written since; what
///            a formula raised.
/// Threads:   any thread; *blocks*. Formulas run on the calling thread. Passes on several threads
///            can run at once, also over shared graphs.
/// Since:     0.1
TENON_API tenon_status tenon_backward(const tenon_backward_options* options);

/// Runs a backward pass and returns the gradients of `inputs`, which are tracked tensors, instead
/// of adding to those of leaves. `out_grads` must have room for `ninputs` gradients.
///
/// Errors:    as tenon_backward; TENON_ERROR_STATE for inputs that are not tracked, and for inputs
///            that no output depends on unless TENON_BACKWARD_ALLOW_UNUSED is set. On failure all
///            `out_grads` are NULL.
/// Ownership: gradients are owned by the caller.
/// Threads:   any thread; *blocks*, as tenon_backward.
/// Since:     0.1
TENON_API tenon_status tenon_grad(const tenon_backward_options* options, tenon_tensor** out_grads);

TENON_END_DECLS

#endif /* TENON_AUTOGRAD_H */
