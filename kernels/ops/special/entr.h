// SPDX-License-Identifier: Apache-2.0
// aten::special_entr: -x * log(x), the contribution of each element to an entropy.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Entr {
  TENON_FUNCTOR T operator()(T x) const {
    if (x != x) return x;
    if (x > 0) return -x * maths::log(x);
    return x == 0 ? T(0) : -static_cast<T>(__builtin_inff());
  }
};

inline constexpr Facts kSpecialEntr{
    .family = &kPointwise,
    .name = "special_entr",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad * (-(self.log() + 1))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
