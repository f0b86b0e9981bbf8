// SPDX-License-Identifier: Apache-2.0
// aten::signbit: true for elements below 0; -0 and NaN count by their sign bit.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct SignBit {
  TENON_FUNCTOR bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return __builtin_signbit(x) != 0;
    } else {
      return x < T(0);
    }
  }
};

inline constexpr Facts kSignBit{
    .family = &kPointwise,
    .name = "signbit",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kOrderedUnsigned, Promote::Common, Gives::Bool},
                  .exact_outs = true},
};

}  // namespace tenon::kernels::ops
