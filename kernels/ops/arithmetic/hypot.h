// SPDX-License-Identifier: Apache-2.0
// aten::hypot: the length of the hypotenuse over two legs.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Hypot {
  TENON_FUNCTOR T operator()(T x, T y) const { return maths::hypot(x, y); }
};

inline constexpr Facts kHypot{
    .family = &kPointwise,
    .name = "hypot",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * (self / result); other: grad * (other / result)",
    .tangent = "self_t * (self / result) + other_t * (other / result)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
