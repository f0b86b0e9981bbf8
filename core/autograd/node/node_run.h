// SPDX-License-Identifier: Apache-2.0
// Runs one node: calls its formula with the saved values.
#pragma once

#include <span>

#include "autograd/node/node.h"
#include "base/small_vector.h"

namespace tenon::autograd {

/// The gradients that a formula returns, one per edge.
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

/// RAII: keeps a node's saved values alive. With `drops`, releases them at the end, even if a
/// formula failed or a forced unwind passes through.
class SavedValuesGuard {
 public:
  /// Throws TENON_ERROR_STATE if the saved values were already released.
  explicit SavedValuesGuard(Node& node, bool drops = false);
  ~SavedValuesGuard() { node_.end_read(drops_); }
  SavedValuesGuard(const SavedValuesGuard&) = delete;
  SavedValuesGuard& operator=(const SavedValuesGuard&) = delete;

 private:
  Node& node_;
  bool drops_ = false;
};

/// Runs a node that is not a leaf, in the current grad mode. `grads` are the gradients of its
/// outputs (NULL: none arrived; if all are NULL, a formula with MissingGradients::kSkipped is not
/// run), and `needs` marks the edges that need a gradient. Releases the saved values afterwards,
/// unless `keep` is set. Throws TENON_ERROR_STATE if they were released already or were written
/// since they were saved, and the errors of the formula.
void run_node(Node& node, std::span<tensor::Tensor* const> grads, std::span<const uint8_t> needs,
              bool keep, InputGrads* out_grads);

}  // namespace tenon::autograd
