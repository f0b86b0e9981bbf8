// SPDX-License-Identifier: Apache-2.0
// Running one node: its formula, with what it saved.
#pragma once

#include <span>

#include "autograd/node/node.h"
#include "base/small_vector.h"

namespace tenon::autograd {

/// The gradients that a formula gives, one for each edge.
class InputGrads {
 public:
  explicit InputGrads(size_t count) : grads_(count, nullptr) {}
  ~InputGrads() {
    for (tensor::Tensor* grad : grads_) {
      if (grad != nullptr) grad->release();
    }
  }
  InputGrads(const InputGrads&) = delete;
  InputGrads& operator=(const InputGrads&) = delete;
  tensor::TensorPtr take(size_t index) noexcept {
    return tensor::TensorPtr::adopt(std::exchange(grads_[index], nullptr));
  }
  tensor::Tensor** data() noexcept { return grads_.data(); }

 private:
  base::SmallVector<tensor::Tensor*, 8> grads_;
};

/// While it lives, what a node saved stays. It goes then, if asked, also when a formula failed or a
/// forced unwind goes through.
class NodeReading {
 public:
  /// Throws TENON_ERROR_STATE where it has gone already.
  explicit NodeReading(Node& node, bool drops = false);
  ~NodeReading() { node_.end_read(drops_); }
  NodeReading(const NodeReading&) = delete;
  NodeReading& operator=(const NodeReading&) = delete;

 private:
  Node& node_;
  bool drops_ = false;
};

/// Runs a node that is no leaf in the present grad mode. `grads` are of its outputs (NULL: none
/// came; where none at all did, none are given), `needs` tells the edges that gradients are wanted
/// for. What it saved goes then, unless it is to be kept. Throws TENON_ERROR_STATE where that has
/// gone already or was written since, and what the formula raised.
void run_node(Node& node, std::span<tensor::Tensor* const> grads, std::span<const uint8_t> needs,
              bool keep, InputGrads* out_grads);

}  // namespace tenon::autograd
