// SPDX-License-Identifier: Apache-2.0
// aten::cos: the cosine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Cos {
  TENON_FUNCTOR T operator()(T x) const { return maths::cos(x); }
  TENON_FUNCTOR T near(T x) const requires std::is_floating_point_v<T> {
    return maths::near_cos(x);
  }
  TENON_FUNCTOR static auto far(T x) { return maths::far_angle(x); }
};

inline constexpr Facts kCos{
    .family = &kPointwise,
    .name = "cos",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * -self.sin().conj()",
    .tangent = "self_t * -self.sin()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
