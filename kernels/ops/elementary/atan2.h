// SPDX-License-Identifier: Apache-2.0
// aten::atan2: the angle of the point (other, self), between -pi and pi.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Atan2 {
  TENON_FUNCTOR T operator()(T y, T x) const { return maths::atan2(y, x); }
};

// At the origin the gradient is 0.
inline constexpr Facts kAtan2{
    .family = &kPointwise,
    .name = "atan2",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .gradient =
        "self: grad * other / where(logical_or(self, other), self * self + other * other, 1); "
        "other: -grad * self / where(logical_or(self, other), self * self + other * other, 1)",
    .tangent =
        "(self_t * other - other_t * self) / "
        "where(logical_or(self, other), self * self + other * other, 1)",
    .batching = Batching::Pointwise,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kArctan2{
    .family = &kSynonym,
    .name = "arctan2",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls atan2",
    .tangent = "none: calls atan2",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAtan2,
};

}  // namespace tenon::kernels::ops
