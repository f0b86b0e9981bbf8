// SPDX-License-Identifier: Apache-2.0
// Bessel functions of orders 0 and 1: aten::special_bessel_j0 and j1 of the first kind,
// aten::special_bessel_y0 and y1 of the second kind.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::ops {

template <class T>
struct BesselJ0 {
  TENON_FUNCTOR T operator()(T x) const { return static_cast<T>(::j0(static_cast<double>(x))); }
};

inline constexpr Facts kSpecialBesselJ0{
    .family = &kPointwise,
    .name = "special_bessel_j0",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: -grad * special_bessel_j1(self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct BesselJ1 {
  TENON_FUNCTOR T operator()(T x) const { return static_cast<T>(::j1(static_cast<double>(x))); }
};

inline constexpr Facts kSpecialBesselJ1{
    .family = &kPointwise,
    .name = "special_bessel_j1",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad * where(eq(self, 0), 0.5, special_bessel_j0(self) - result / self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct BesselY0 {
  TENON_FUNCTOR T operator()(T x) const { return static_cast<T>(::y0(static_cast<double>(x))); }
};

inline constexpr Facts kSpecialBesselY0{
    .family = &kPointwise,
    .name = "special_bessel_y0",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: -grad * special_bessel_y1(self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct BesselY1 {
  TENON_FUNCTOR T operator()(T x) const { return static_cast<T>(::y1(static_cast<double>(x))); }
};

inline constexpr Facts kSpecialBesselY1{
    .family = &kPointwise,
    .name = "special_bessel_y1",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad * (special_bessel_y0(self) - result / self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
