// SPDX-License-Identifier: Apache-2.0
// aten::xlogy: self * log(other), or 0 if self is 0.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Xlogy {
  TENON_FUNCTOR T operator()(T x, T y) const {
    if (y != y) return y;
    return x == T(0) ? T(0) : x * maths::log(y);
  }
};

inline constexpr Facts kXlogyTensor{
    .family = &kPointwise,
    .name = "xlogy.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .out = "OutTensor",
    .tags = "pointwise",
    .gradient =
        "self: where(logical_and(eq(self, 0), le(other, 0)), 0, grad * other.log()); "
        "other: grad * self / other",
    .tangent =
        "where(logical_and(eq(self, 0), le(other, 0)), 0, self_t * other.log()) + "
        "other_t * self / other",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kXlogyScalarOther{
    .family = &kNumberForm,
    .name = "xlogy.Scalar_Other",
    .params = "Tensor self, Scalar other",
    .forms = kAllForms,
    .out = "OutScalar_Other",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kXlogyTensor,
};

inline constexpr Facts kXlogyScalarSelf{
    .family = &kNumberForm,
    .name = "xlogy.Scalar_Self",
    .params = "Scalar self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "OutScalar_Self",
    .tags = "pointwise",
    .gradient = "none: calls the tensor form",
    .tangent = "none: calls the tensor form",
    .batching = Batching::None,
    .cast = Cast::None,
    .tensor_form = &kXlogyTensor,
};

}  // namespace tenon::kernels::ops
