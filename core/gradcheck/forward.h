// SPDX-License-Identifier: Apache-2.0
// Derivatives computed by forward mode.
#pragma once

#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

/// Computes the tangents of a function's outputs for a tangent of one variable. Each call opens a
/// dual level, so it throws TENON_ERROR_STATE inside another one.
class ForwardMode {
 public:
  ForwardMode(const CheckedFunction& function, size_t variable) noexcept
      : function_(function), variable_(variable) {}

  /// Returns the tangent of each output that gradients flow through, zeros if an output has none.
  /// Throws the errors of the function, and those of operators without a tangent formula.
  std::vector<Numbers> slopes(const Elements& direction) const;
  /// Returns the Jacobian of each of these outputs.
  std::vector<Jacobian> jacobians() const;

 private:
  const CheckedFunction& function_;
  const size_t variable_;
};

}  // namespace tenon::gradcheck
