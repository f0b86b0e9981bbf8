// SPDX-License-Identifier: Apache-2.0
// aten::rsqrt: the reciprocal of the square root of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Rsqrt {
  TENON_FUNCTOR T operator()(T x) const { return T(1) / maths::sqrt(x); }
};

inline constexpr Facts kRsqrt{
    .family = &kPointwise,
    .name = "rsqrt",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: -grad * (result * result * result).conj() / 2",
    .tangent = "-self_t * result * result * result / 2",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
