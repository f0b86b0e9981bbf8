// SPDX-License-Identifier: Apache-2.0
// aten::i0 and aten::special_i1: the modified Bessel functions of the first kind of orders 0 and 1;
// aten::special_i0e and aten::special_i1e: times exp(-|x|).
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::ops {

template <class T>
struct I0 {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::i0(static_cast<double>(x)));
  }
};

inline constexpr Facts kI0{
    .family = &kPointwise,
    .name = "i0",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * special_i1(self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct I1 {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::i1(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialI1{
    .family = &kPointwise,
    .name = "special_i1",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad * where(eq(self, 0), 0.5, i0(self) - self.reciprocal() * result)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct I0e {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::i0e(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialI0e{
    .family = &kPointwise,
    .name = "special_i0e",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: grad * (special_i1e(self) - self.sgn() * result)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

template <class T>
struct I1e {
  TENON_FUNCTOR T operator()(T x) const {
    return static_cast<T>(maths::i1e(static_cast<double>(x)));
  }
};

inline constexpr Facts kSpecialI1e{
    .family = &kPointwise,
    .name = "special_i1e",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: grad * where(eq(self, 0), 0.5, special_i0e(self) - result * (self.sgn() + "
        "self.reciprocal()))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialI0{
    .family = &kSynonym,
    .name = "special_i0",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls i0",
    .tangent = "none: calls i0",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kI0,
};

}  // namespace tenon::kernels::ops
