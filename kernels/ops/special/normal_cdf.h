// SPDX-License-Identifier: Apache-2.0
// Functions of the normal distribution: aten::special_ndtr: the CDF; aten::special_log_ndtr: its
// logarithm; aten::special_ndtri: the inverse CDF. aten::special_erfcx: erfc(x) times exp(x * x).
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/normal_maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Erfcx {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::erfcx(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialErfcx{
    .family = &kPointwise,
    .name = "special_erfcx",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: (2.0 * self * result - 1.1283791670955126) * grad",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct Ndtr {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::ndtr(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialNdtr{
    .family = &kPointwise,
    .name = "special_ndtr",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: grad * 0.3989422804014327 * (-self * self / 2).exp()",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct LogNdtr {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::log_ndtr(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialLogNdtr{
    .family = &kPointwise,
    .name = "special_log_ndtr",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad / special_erfcx(self * -0.7071067811865476) * 0.7978845608028654",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct Ndtri {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::ndtri(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialNdtri{
    .family = &kPointwise,
    .name = "special_ndtri",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad * 2.5066282746310002 * (result * result / 2).exp()",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
