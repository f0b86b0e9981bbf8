// SPDX-License-Identifier: Apache-2.0
// aten::special_xlog1py: self * log1p(other), or 0 if self is 0.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Xlog1py {
  TENON_FUNCTOR T operator()(T x, T y) const {
    if (y != y) return y;
    return x == T(0) ? T(0) : x * maths::log1p(y);
  }
};

inline constexpr Facts kSpecialXlog1py{
    .family = &kPointwise,
    .name = "special_xlog1py",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: where(logical_and(eq(self, 0), le(other, -1)), 0, grad * other.log1p()); other: "
        "grad * self / (other + 1)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialXlog1pyOtherScalar{
    .family = &kNumberForm,
    .name = "special_xlog1py.other_scalar",
    .params = "Tensor self, Scalar other",
    .forms = kFunctional | kOut,
    .out = "other_scalar_out",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kSpecialXlog1py,
};

inline constexpr Facts kSpecialXlog1pySelfScalar{
    .family = &kNumberForm,
    .name = "special_xlog1py.self_scalar",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "self_scalar_out",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kSpecialXlog1py,
};

}  // namespace tenon::kernels::ops
