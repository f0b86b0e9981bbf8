// SPDX-License-Identifier: Apache-2.0
// aten::isfinite: whether elements are neither infinite nor NaN.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Infinity minus itself is NaN.
template <class T>
struct IsFinite {
  TENON_FUNCTOR bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return true;
    } else {
      return x - x == T(0);
    }
  }
};

inline constexpr Facts kIsFinite{
    .family = &kPointwise,
    .name = "isfinite",
    .params = "Tensor self",
    .forms = kFunctional,
    .tags = "pointwise",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes, Promote::Common, Gives::Bool}},
};

}  // namespace tenon::kernels::ops
