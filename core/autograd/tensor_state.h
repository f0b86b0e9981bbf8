// SPDX-License-Identifier: Apache-2.0
// What autograd keeps for a tensor: the node that its gradient goes to, and which output it is.
//
// The tensor's state word is the node itself, for all but views and the few that are a high output.
// A view belongs to its base: once the base has been written, whoever by, the node that the view
// had is stale, and it gets a new one when somebody asks, which leads to the base's. A tangent is
// kept beside the node.
#pragma once

#include <string>

#include "autograd/forward/dual_level.h"
#include "autograd/node/hook.h"
#include "autograd/node/node.h"
#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::autograd {

constexpr tenon_keyset kAutograd = base::kAutogradBit;

/// Whether gradients of a dtype exist.
bool is_differentiable(tenon_dtype dtype) noexcept;

/// Output `output` of a node, which gradients flow to; empty where none flows.
struct Flow {
  NodePtr node;
  uint32_t output = 0;
};

/// What the header of a tensor keeps of a node: the number of its output, or that its state is not
/// the node itself.
constexpr uint8_t kLinked = 255;

/// Of views, and of tensors whose state is not their node.
Flow flow_to_linked(tensor::Tensor& tensor);
/// Where the gradient of a tensor goes, now. Throws TENON_ERROR_STATE for a view whose origin
/// forbids to follow its base.
inline Flow flow_to(tensor::Tensor& tensor) {
  if (tensor.base() != nullptr || tensor.autograd_note() == kLinked) [[unlikely]] {
    return flow_to_linked(tensor);
  }
  auto* node = static_cast<Node*>(tensor.autograd());
  if (node == nullptr || (node->is_leaf() && !node->requires_grad())) return {};
  return {NodePtr::share(node), tensor.autograd_note()};
}

bool requires_grad(const tensor::Tensor& tensor) noexcept;
/// What a tensor was linked to, whether it asks for gradients or not.
Flow own_flow(const tensor::Tensor& tensor) noexcept;
/// Whether no recorded call has made it.
bool is_leaf(const tensor::Tensor& tensor) noexcept;

/// "was made in no_grad mode" and so on, for messages; with the output of which node it is.
std::string origin_text(const tensor::Tensor& view);
/// What to do instead of writing a view of that origin.
const char* origin_advice(tensor::ViewOrigin origin) noexcept;

/// Links a tensor to the node that its gradient goes to from now on. Throws std::bad_alloc.
void set_node(tensor::Tensor& tensor, NodePtr node, uint32_t output);
/// Where a tensor keeps its tangent: NULL where it never had one, and made on demand. Nobody else
/// uses the tensor while it is made.
TangentSlot* tangent_slot(const tensor::Tensor& tensor) noexcept;
TangentSlot& require_tangent_slot(tensor::Tensor& tensor);

/// Whether somebody has linked it to a node, or it is a leaf with something to keep.
inline bool has_node(const tensor::Tensor& tensor) noexcept { return tensor.autograd() != nullptr; }

/// Has gradients flow to a tensor that nobody else has, of a differentiable dtype.
void track(tensor::Tensor& tensor);
/// See tenon_tensor_set_requires_grad, tenon_tensor_copy_grad and tenon_tensor_set_grad.
void set_requires_grad(tensor::Tensor& tensor, bool wanted);
tensor::TensorPtr copy_grad(tensor::Tensor& tensor);
void set_grad(tensor::Tensor& tensor, tensor::Tensor* grad);
/// Adds to a printed tensor what gradients know of it: "tensor([1.], requires_grad=True)".
void add_to_print(tensor::Tensor& tensor, std::string* text);
/// See tenon_tensor_set_data, tenon_tensor_restride and tenon_tensor_detach.
void set_data(tensor::Tensor& tensor, const tensor::Tensor& data);
void restride(tensor::Tensor& tensor, tensor::Dims sizes, tensor::Dims strides, int64_t offset);
void detach(tensor::Tensor& tensor);
/// See tenon_tensor_add_hook, which has taken over the target.
HookPtr add_hook(tensor::Tensor& tensor, uint32_t kind, tenon_hook::TargetPtr target);
/// See tenon_tensor_retain_grad, tenon_tensor_retains_grad, tenon_tensor_grad_dtype and
/// tenon_tensor_set_grad_dtype.
void retain_grad(tensor::Tensor& tensor);
bool retains_grad(const tensor::Tensor& tensor) noexcept;
tenon_dtype grad_dtype(const tensor::Tensor& tensor) noexcept;
void set_grad_dtype(tensor::Tensor& tensor, tenon_dtype dtype);

}  // namespace tenon::autograd
