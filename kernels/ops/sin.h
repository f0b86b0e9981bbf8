// SPDX-License-Identifier: Apache-2.0
// aten::sin: the sine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sin {
  TENON_FUNCTOR T operator()(T x) const { return maths::sin(x); }
};

inline constexpr Facts kSin{
    .family = &kPointwise,
    .name = "sin",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * self.cos().conj()",
    .tangent = "self_t * self.cos()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
