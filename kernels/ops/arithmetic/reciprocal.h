// SPDX-License-Identifier: Apache-2.0
// aten::reciprocal: 1 divided by each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

// [quote.begin operator]
template <class T>
struct Reciprocal {
  TENON_FUNCTOR T operator()(T x) const { return T(1) / x; }
};

inline constexpr Facts kReciprocal{
    .family = &kPointwise,
    .name = "reciprocal",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: -grad * (result * result).conj()",
    .tangent = "self_t * -(result * result)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};
// [quote.end]

}  // namespace tenon::kernels::ops
