// SPDX-License-Identifier: Apache-2.0
// What autograd keeps for a tensor: the node that its gradient goes to, and which output it is.
//
// The tensor's state word is the node itself, for all but the few that are a high output.
#pragma once

#include "autograd/node.h"
#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::autograd {

constexpr tenon_keyset kAutograd = base::kAutogradBit;

/// Whether gradients of a dtype exist.
bool is_differentiable(tenon_dtype dtype) noexcept;

/// The state of a tensor whose output number is too large for its header.
struct FarOutput final : tensor::AutogradState {
  NodePtr node;
  uint32_t output;
};
constexpr uint8_t kFarOutput = 255;  // note of a tensor with such a state

/// The node of a tensor and which output it is, borrowed; a leaf's though it ask for nothing.
inline Edge node_of(const tensor::Tensor& tensor) noexcept {
  tensor::AutogradState* state = tensor.autograd();
  if (state == nullptr) return {};
  const uint8_t note = tensor.autograd_note();
  if (note == kFarOutput) [[unlikely]] {
    const auto* far = static_cast<const FarOutput*>(state);
    return {far->node.get(), far->output};
  }
  return {static_cast<Node*>(state), note};
}

/// Where the gradient of a tensor goes, borrowed; empty where none flows.
inline Edge gradient_edge(const tensor::Tensor& tensor) noexcept {
  const Edge edge = node_of(tensor);
  if (edge.node != nullptr && edge.node->is_leaf() && !edge.node->requires_grad()) return {};
  return edge;
}
inline bool requires_grad(const tensor::Tensor& tensor) noexcept {
  return gradient_edge(tensor).node != nullptr;
}
inline bool is_leaf(const tensor::Tensor& tensor) noexcept {
  const Edge edge = node_of(tensor);
  return edge.node == nullptr || edge.node->is_leaf();
}

/// Links a tensor to the node that its gradient goes to from now on. Throws std::bad_alloc.
void set_node(tensor::Tensor& tensor, NodePtr node, uint32_t output);

/// See tenon_tensor_set_requires_grad, tenon_tensor_copy_grad and tenon_tensor_set_grad.
void set_requires_grad(tensor::Tensor& tensor, bool wanted);
tensor::TensorPtr copy_grad(const tensor::Tensor& tensor) noexcept;
void set_grad(tensor::Tensor& tensor, tensor::Tensor* grad);

}  // namespace tenon::autograd
