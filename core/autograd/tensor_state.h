// SPDX-License-Identifier: Apache-2.0
// A tensor's autograd state: the node that its gradient flows to, and which output of the node it
// is.
//
// The tensor's state word is the node itself, except for views and tensors with a high output
// index. An in-place write to the base of a view, by any thread and through any view, makes the
// view's node stale. It is rebuilt on the next access, as a child of the base's node. A tangent is
// stored beside the node.
#pragma once

#include <string>

#include "autograd/forward/dual_level.h"
#include "autograd/node/hook.h"
#include "autograd/node/node.h"
#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::autograd {

constexpr tenon_keyset kAutograd = base::kAutogradBit;

/// Returns true if tensors of a dtype can have gradients.
bool is_differentiable(tenon_dtype dtype) noexcept;

/// The node, and its output, that a tensor's gradient flows to; empty if it flows nowhere.
struct GradientEdge {
  NodePtr node;
  uint32_t output = 0;
};

/// Value of Tensor::autograd_note() for tensors whose autograd state is an AutogradExtra. For other
/// tensors that are not views, the state is the node itself and the note is its output index.
constexpr uint8_t kHasExtra = 255;

/// The slow path of gradient_edge(): views, and tensors whose state is not their node.
GradientEdge gradient_edge_slow(tensor::Tensor& tensor);
/// Returns where the gradient of a tensor flows now. Throws TENON_ERROR_STATE for a stale view that
/// may not be rebuilt because of its origin.
inline GradientEdge gradient_edge(tensor::Tensor& tensor) {
  if (tensor.base() != nullptr || tensor.autograd_note() == kHasExtra) [[unlikely]] {
    return gradient_edge_slow(tensor);
  }
  // The state word is the node: not a view, and a low output index.
  auto* node = static_cast<Node*>(tensor.autograd());
  if (node == nullptr || (node->is_leaf() && !node->requires_grad())) return {};
  return {NodePtr::share(node), tensor.autograd_note()};
}

bool requires_grad(const tensor::Tensor& tensor) noexcept;
/// Returns the node that a tensor is linked to, even if it does not require grad.
GradientEdge linked_edge(const tensor::Tensor& tensor) noexcept;
/// Returns true if no recorded call produced the tensor.
bool is_leaf(const tensor::Tensor& tensor) noexcept;

/// Returns for messages how a view was made, such as "was made in no_grad mode", with its node's
/// name and output.
std::string origin_text(const tensor::Tensor& view);
/// Returns advice on what to do instead of writing a view of that origin.
const char* origin_advice(tensor::ViewOrigin origin) noexcept;

/// Links a tensor to the node that its gradient flows to from now on. Throws std::bad_alloc.
void set_node(tensor::Tensor& tensor, NodePtr node, uint32_t output);
/// Return the slot of a tensor's tangent. If the tensor never had one, tangent_slot() returns NULL,
/// and require_tangent_slot() creates it, which requires exclusive access to the tensor.
TangentSlot* tangent_slot(const tensor::Tensor& tensor) noexcept;
TangentSlot& require_tangent_slot(tensor::Tensor& tensor);

/// Returns true if the tensor is linked to a node, or is a leaf that has state.
inline bool has_node(const tensor::Tensor& tensor) noexcept { return tensor.autograd() != nullptr; }

/// Makes gradients flow to a uniquely owned tensor of a differentiable dtype.
void track(tensor::Tensor& tensor);
/// See tenon_tensor_set_requires_grad, tenon_tensor_copy_grad and tenon_tensor_set_grad.
void set_requires_grad(tensor::Tensor& tensor, bool wanted);
tensor::TensorPtr copy_grad(tensor::Tensor& tensor);
void set_grad(tensor::Tensor& tensor, tensor::Tensor* grad);
/// Adds autograd information to a printed tensor: "tensor([1.], requires_grad=True)".
void add_to_print(tensor::Tensor& tensor, std::string* text);
/// See tenon_tensor_set_data, tenon_tensor_restride and tenon_tensor_detach.
void set_data(tensor::Tensor& tensor, const tensor::Tensor& data);
void restride(tensor::Tensor& tensor, tensor::Dims sizes, tensor::Dims strides, int64_t offset);
void detach(tensor::Tensor& tensor);
/// See tenon_tensor_add_hook. The target is owned by the hook.
HookPtr add_hook(tensor::Tensor& tensor, uint32_t kind, tenon_hook::TargetPtr target);
/// See tenon_tensor_retain_grad, tenon_tensor_retains_grad, tenon_tensor_grad_dtype and
/// tenon_tensor_set_grad_dtype.
void retain_grad(tensor::Tensor& tensor);
bool retains_grad(const tensor::Tensor& tensor) noexcept;
tenon_dtype grad_dtype(const tensor::Tensor& tensor) noexcept;
void set_grad_dtype(tensor::Tensor& tensor, tenon_dtype dtype);

}  // namespace tenon::autograd
