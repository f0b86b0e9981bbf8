// SPDX-License-Identifier: Apache-2.0
// aten::asinh: the inverse hyperbolic sine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Asinh {
  TENON_FUNCTOR T operator()(T x) const { return maths::asinh(x); }
};

inline constexpr Facts kAsinh{
    .family = &kPointwise,
    .name = "asinh",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * (self * self + 1).rsqrt().conj()",
    .tangent = "self_t * (self * self + 1).rsqrt()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kArcsinh{
    .family = &kSynonym,
    .name = "arcsinh",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls asinh",
    .tangent = "none: calls asinh",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAsinh,
};

}  // namespace tenon::kernels::ops
