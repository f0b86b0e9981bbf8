// SPDX-License-Identifier: Apache-2.0
// Derivatives computed as central differences.
#pragma once

#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

/// The outputs to differentiate.
enum class Outputs { kTracked, kAll };

/// Computes differences with respect to one variable. Writes the variable's elements in place, so
/// that the function sees the change however it reaches the tensor, and restores them even if the
/// function throws.
class NumericalMode {
 public:
  NumericalMode(const CheckedFunction& function, size_t variable, double step, Outputs which);

  /// Returns the directional derivative of each output's numbers along `direction`.
  /// Throws the function's errors, and TENON_ERROR_INVALID_ARGUMENT if its outputs change in number
  /// or size.
  std::vector<Numbers> slopes(const Elements& direction);
  /// Returns the Jacobian of each output; none if the variable has no elements.
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
