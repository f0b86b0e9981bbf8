// SPDX-License-Identifier: Apache-2.0
// aten::cosh: the hyperbolic cosine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Cosh {
  TENON_FUNCTOR T operator()(T x) const { return maths::cosh(x); }
};

inline constexpr Facts kCosh{
    .family = &kPointwise,
    .name = "cosh",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * self.sinh().conj()",
    .tangent = "self_t * self.sinh()",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
