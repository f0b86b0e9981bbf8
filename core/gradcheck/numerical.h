// SPDX-License-Identifier: Apache-2.0
// Derivatives as central differences: what a function gives on both sides of its inputs.
#pragma once

#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

/// Which outputs are looked at.
enum class Outputs { kTracked, kAll };

/// Differences by one variable. The variable's elements are written in place, so that a function
/// sees the change however it comes by the tensor, and put back, also when the function throws.
class NumericalMode {
 public:
  NumericalMode(const CheckedFunction& function, size_t variable, double step, Outputs which);

  /// How fast each number of each output changes where the variable moves along `direction`. Throws
  /// what the function threw, TENON_ERROR_INVALID_ARGUMENT where its outputs change in number or
  /// size.
  std::vector<Numbers> slopes(const Elements& direction);
  /// The Jacobian of each output; of a variable without elements none.
  std::vector<Jacobian> jacobians();

 private:
  void move(const Elements& direction, double step);
  std::vector<Numbers> numbers_at(const Elements& direction, double step);

  const CheckedFunction& function_;
  const size_t variable_;
  tensor::Tensor& tensor_;
  const double step_;
  const Outputs which_;
  ElementWriter writer_;
  const Elements origin_;
};

}  // namespace tenon::gradcheck
