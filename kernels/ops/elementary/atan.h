// SPDX-License-Identifier: Apache-2.0
// aten::atan: the arc tangent of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Atan {
  TENON_FUNCTOR T operator()(T x) const { return maths::atan(x); }
};

inline constexpr Facts kAtan{
    .family = &kPointwise,
    .name = "atan",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / (self * self + 1).conj()",
    .tangent = "self_t / (self * self + 1)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kArctan{
    .family = &kSynonym,
    .name = "arctan",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls atan",
    .tangent = "none: calls atan",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAtan,
};

}  // namespace tenon::kernels::ops
