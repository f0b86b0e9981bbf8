// SPDX-License-Identifier: Apache-2.0
// Derivatives computed by backward passes.
#pragma once

#include "autograd/engine/engine.h"
#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

/// The gradient of one output that a backward pass starts from; NULL means undefined.
struct Seed {
  size_t output;
  tensor::TensorPtr grad;
};

/// Runs backward passes through one call of a function.
class ReverseMode {
 public:
  /// Calls the function. Throws its errors.
  explicit ReverseMode(const CheckedFunction& function);

  const CheckedFunction::Tensors& outputs() const noexcept { return outputs_; }
  /// Returns the gradient of each variable, NULL if none arrived. Throws the errors of formulas.
  std::vector<tensor::TensorPtr> gradients(std::span<const Seed> seeds) const;
  /// Like gradients(seeds), with `numbers` as the gradient of one output; zeros for variables that
  /// receive none.
  std::vector<Elements> gradients(size_t output, const Numbers& numbers) const;

 private:
  const CheckedFunction& function_;
  CheckedFunction::Tensors outputs_;
  std::vector<autograd::Root> roots_;  // one per output; gradients are filled in by each pass
  std::vector<autograd::Target> targets_;
};

}  // namespace tenon::gradcheck
