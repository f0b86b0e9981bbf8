// SPDX-License-Identifier: Apache-2.0
// aten::sin: the sine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sin {
  TENON_FUNCTOR T operator()(T x) const { return maths::sin(x); }
  TENON_FUNCTOR T near(T x) const requires std::is_floating_point_v<T> {
    return maths::near_sin(x);
  }
  TENON_FUNCTOR static auto far(T x) { return maths::far_angle(x); }
};

inline constexpr Facts kSin{
    .family = &kPointwise,
    .name = "sin",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * self.cos().conj()",
    .tangent = "self_t * self.cos()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
