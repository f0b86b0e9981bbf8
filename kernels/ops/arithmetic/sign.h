// SPDX-License-Identifier: Apache-2.0
// aten::sign: -1, 0 or 1 for each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sign {
  TENON_FUNCTOR T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>) {
      return x;
    } else {
      return static_cast<T>((x > T(0) ? 1 : 0) - (x < T(0) ? 1 : 0));
    }
  }
};

inline constexpr Facts kSign{
    .family = &kPointwise,
    .name = "sign",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
