// SPDX-License-Identifier: Apache-2.0
// aten::acosh: the inverse hyperbolic cosine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Acosh {
  TENON_FUNCTOR T operator()(T x) const { return maths::acosh(x); }
};

inline constexpr Facts kAcosh{
    .family = &kPointwise,
    .name = "acosh",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * ((self - 1).rsqrt() * (self + 1).rsqrt()).conj()",
    .tangent = "self_t * (self - 1).rsqrt() * (self + 1).rsqrt()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kArccosh{
    .family = &kSynonym,
    .name = "arccosh",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls acosh",
    .tangent = "none: calls acosh",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAcosh,
};

}  // namespace tenon::kernels::ops
