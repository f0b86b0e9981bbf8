// SPDX-License-Identifier: Apache-2.0
// aten::exp: e to the power of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Exp {
  TENON_FUNCTOR T operator()(T x) const { return maths::exp(x); }
};

inline constexpr Facts kExp{
    .family = &kPointwise,
    .name = "exp",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * result.conj()",
    .tangent = "self_t * result",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
