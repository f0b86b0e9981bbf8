// SPDX-License-Identifier: Apache-2.0
// aten::angle: the angle of complex numbers; pi for negative real numbers.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Angle {
  TENON_FUNCTOR Real<T> operator()(T x) const {
    if constexpr (is_complex_element<T>) {
      return maths::atan2(x.im, x.re);
    } else {
      return x != x ? x : x < T(0) ? T(3.14159265358979323846) : T(0);
    }
  }
};

inline constexpr Facts kAngle{
    .family = &kPointwise,
    .name = "angle",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: angle_backward(grad, self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat, {Gives::Real}}},
};

void angle_backward(const Call& call);

inline constexpr Facts kAngleBackward{
    .family = &kComposite,
    .name = "angle_backward",
    .params = "Tensor grad, Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&angle_backward},
};

}  // namespace tenon::kernels::ops
