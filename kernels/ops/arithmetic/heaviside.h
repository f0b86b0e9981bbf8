// SPDX-License-Identifier: Apache-2.0
// aten::heaviside: 0 for negative elements, 1 for positive ones, and the other operand at zero.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Heaviside {
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, bool>) {
      return x || y;
    } else {
      return x == T(0) ? y : static_cast<T>(x > T(0));
    }
  }
};

void check_heaviside(const Args& args, tenon_dtype dtype);

inline constexpr Facts kHeaviside{
    .family = &kPointwise,
    .name = "heaviside",
    .params = "Tensor self, Tensor values",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool}, .exact_outs = true, .check = &check_heaviside},
};

}  // namespace tenon::kernels::ops
