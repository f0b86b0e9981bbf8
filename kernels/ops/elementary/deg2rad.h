// SPDX-License-Identifier: Apache-2.0
// aten::deg2rad: degrees to radians; aten::rad2deg: radians to degrees.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Deg2Rad {
  TENON_FUNCTOR T operator()(T x) const { return x * T(0.017453292519943295769); }
};

inline constexpr Facts kDeg2rad{
    .family = &kPointwise,
    .name = "deg2rad",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad.deg2rad()",
    .tangent = "self_t.deg2rad()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct Rad2Deg {
  TENON_FUNCTOR T operator()(T x) const { return x * T(57.295779513082320877); }
};

inline constexpr Facts kRad2deg{
    .family = &kPointwise,
    .name = "rad2deg",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad.rad2deg()",
    .tangent = "self_t.rad2deg()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
