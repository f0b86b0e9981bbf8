// SPDX-License-Identifier: Apache-2.0
// aten::asin: the arc sine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Asin {
  TENON_FUNCTOR T operator()(T x) const { return maths::asin(x); }
};

inline constexpr Facts kAsin{
    .family = &kPointwise,
    .name = "asin",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * (1 - self * self).rsqrt().conj()",
    .tangent = "self_t * (1 - self * self).rsqrt()",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kArcsin{
    .family = &kSynonym,
    .name = "arcsin",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls asin",
    .tangent = "none: calls asin",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAsin,
};

}  // namespace tenon::kernels::ops
