// SPDX-License-Identifier: Apache-2.0
// aten::sinh: the hyperbolic sine of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sinh {
  TENON_FUNCTOR T operator()(T x) const { return maths::sinh(x); }
};

inline constexpr Facts kSinh{
    .family = &kPointwise,
    .name = "sinh",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * self.cosh().conj()",
    .tangent = "self_t * self.cosh()",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
