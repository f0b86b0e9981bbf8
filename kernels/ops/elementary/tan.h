// SPDX-License-Identifier: Apache-2.0
// aten::tan: the tangent of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Tan {
  TENON_FUNCTOR T operator()(T x) const { return maths::tan(x); }
};

inline constexpr Facts kTan{
    .family = &kPointwise,
    .name = "tan",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * (result * result + 1).conj()",
    .tangent = "self_t * (result * result + 1)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
