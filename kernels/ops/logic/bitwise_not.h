// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_not: the bitwise complement of each element; the logical not for bools.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct BitwiseNot {
  TENON_FUNCTOR T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !x;
    } else {
      return static_cast<T>(~x);
    }
  }
};

inline constexpr Facts kBitwiseNot{
    .family = &kPointwise,
    .name = "bitwise_not",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "none: integer result",
    .tangent = "none: integer result",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kIntegers | kBool}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
