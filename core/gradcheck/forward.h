// SPDX-License-Identifier: Apache-2.0
// Derivatives as forward mode gives them.
#pragma once

#include "gradcheck/function.h"
#include "gradcheck/jacobian.h"

namespace tenon::gradcheck {

/// Tangents of a function's outputs where one variable has a tangent. Each call opens a dual level:
/// TENON_ERROR_STATE inside of another one.
class ForwardMode {
 public:
  ForwardMode(const CheckedFunction& function, size_t variable) noexcept
      : function_(function), variable_(variable) {}

  /// Of the outputs that gradients flow through; zeros for one without tangent. Throws what the
  /// function threw, or an operator without tangent raised.
  std::vector<Numbers> slopes(const Elements& direction) const;
  /// The Jacobian of each of these.
  std::vector<Jacobian> jacobians() const;

 private:
  const CheckedFunction& function_;
  const size_t variable_;
};

}  // namespace tenon::gradcheck
