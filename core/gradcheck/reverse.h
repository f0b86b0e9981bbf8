// SPDX-License-Identifier: Apache-2.0
// Derivatives as backward passes give them.
#pragma once

#include "autograd/engine/engine.h"
#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

/// A gradient that a backward pass begins with; NULL: an undefined one.
struct Seed {
  size_t output;
  tensor::TensorPtr grad;
};

/// Backward passes through one call of a function.
class ReverseMode {
 public:
  /// Calls the function. Throws what it threw.
  explicit ReverseMode(const CheckedFunction& function);

  const CheckedFunction::Tensors& outputs() const noexcept { return outputs_; }
  /// The gradient of each variable; NULL where none came. Throws what a formula raised.
  std::vector<tensor::TensorPtr> gradients(std::span<const Seed> seeds) const;
  /// The same where an output's gradient is such numbers, as elements: zeros where none came.
  std::vector<Elements> gradients(size_t output, const Numbers& numbers) const;

 private:
  const CheckedFunction& function_;
  CheckedFunction::Tensors outputs_;
  std::vector<autograd::Root> roots_;  // one an output, with no gradient yet
  std::vector<autograd::Target> targets_;
};

}  // namespace tenon::gradcheck
