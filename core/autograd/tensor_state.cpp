// SPDX-License-Identifier: Apache-2.0
#include "autograd/tensor_state.h"

#include "base/check.h"
#include "tensor/printer.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

namespace {

// The leaf of a tensor that has no node, made on demand.
Node& require_leaf(Tensor& tensor) {
  const Edge edge = node_of(tensor);
  if (edge.node != nullptr) return *edge.node;
  NodePtr leaf = Node::make_leaf(tensor);
  tensor::AutogradState* state = tensor.init_autograd(leaf.get());
  if (state == leaf.get()) static_cast<void>(leaf.detach());
  return *static_cast<Node*>(state);
}

}  // namespace

bool is_differentiable(tenon_dtype dtype) noexcept {
  return tensor::is_floating(dtype) || tensor::is_complex(dtype);
}

void set_node(Tensor& tensor, NodePtr node, uint32_t output) {
  tensor::AutogradState* state = nullptr;
  uint8_t note = kFarOutput;
  if (output < kFarOutput) {
    note = static_cast<uint8_t>(output);
    state = node.detach();
  } else {
    auto* far = new FarOutput;
    far->drop = [](tensor::AutogradState* self) noexcept { delete static_cast<FarOutput*>(self); };
    far->node = std::move(node);
    far->output = output;
    state = far;
  }
  if (tensor::AutogradState* old = tensor.replace_autograd(state, note)) old->drop(old);
  tensor.add_keys(kAutograd);
}

void set_requires_grad(Tensor& tensor, bool wanted) {
  constexpr const char* kFunction = "tenon_tensor_set_requires_grad";
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  if (!is_leaf(tensor)) {
    TENON_CHECK(wanted, TENON_ERROR_STATE, kFunction,
                ": only leaves can stop asking for gradients, got a tensor made by ",
                node_of(tensor).node->name(), "; detach() gives one that gradients do not flow to");
    return;
  }
  if (wanted) {
    TENON_CHECK_TYPE(is_differentiable(tensor.dtype()), kFunction,
                     ": dtype must be floating or complex to require gradients, got ",
                     tensor::dtype_name(tensor.dtype()));
    TENON_CHECK(!tensor.is_inference(), TENON_ERROR_STATE, kFunction,
                ": inference tensors cannot require gradients; clone the tensor outside inference "
                "mode first");
    TENON_CHECK(!tensor.is_hollow(), TENON_ERROR_STATE, kFunction,
                ": tensor must have memory of its own, got one that stands for something else");
  } else if (node_of(tensor).node == nullptr) {
    return;
  }
  require_leaf(tensor).set_requires_grad(wanted);
  if (wanted) {
    tensor.add_keys(kAutograd);
  } else {
    tensor.remove_keys(kAutograd);
  }
}

TensorPtr copy_grad(const Tensor& tensor) noexcept {
  const Edge edge = node_of(tensor);
  if (edge.node == nullptr || !edge.node->is_leaf()) return nullptr;
  return edge.node->copy_grad();
}

void set_grad(Tensor& tensor, Tensor* grad) {
  constexpr const char* kFunction = "tenon_tensor_set_grad";
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  TENON_CHECK(is_leaf(tensor), TENON_ERROR_STATE, kFunction,
              ": tensor must be a leaf, got one made by ", node_of(tensor).node->name());
  if (grad != nullptr) {
    TENON_CHECK_ARG(grad != &tensor, kFunction, ": grad must be another tensor, got the tensor");
    TENON_CHECK_ARG(grad->dtype() == tensor.dtype(), kFunction, ": grad must be of dtype ",
                    tensor::dtype_name(tensor.dtype()), ", got ",
                    tensor::dtype_name(grad->dtype()));
    TENON_CHECK_ARG(grad->device().type == tensor.device().type &&
                        grad->device().index == tensor.device().index,
                    kFunction, ": grad must be on the tensor's device");
    TENON_CHECK_ARG(std::ranges::equal(grad->size_span(), tensor.size_span()), kFunction,
                    ": grad must be of sizes ", tensor::print_dims(tensor.size_span()), ", got ",
                    tensor::print_dims(grad->size_span()));
  } else if (node_of(tensor).node == nullptr) {
    return;
  }
  require_leaf(tensor).set_grad(TensorPtr::share(grad));
}

}  // namespace tenon::autograd
