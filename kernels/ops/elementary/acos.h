// SPDX-License-Identifier: Apache-2.0
// aten::acos: the arc cosine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Acos {
  TENON_FUNCTOR T operator()(T x) const { return maths::acos(x); }
};

inline constexpr Facts kAcos{
    .family = &kPointwise,
    .name = "acos",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: -grad * (1 - self * self).rsqrt().conj()",
    .tangent = "-self_t * (1 - self * self).rsqrt()",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kArccos{
    .family = &kSynonym,
    .name = "arccos",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls acos",
    .tangent = "none: calls acos",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAcos,
};

}  // namespace tenon::kernels::ops
