// SPDX-License-Identifier: Apache-2.0
// aten::sqrt: the square root of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sqrt {
  TENON_FUNCTOR T operator()(T x) const { return maths::sqrt(x); }
};

inline constexpr Facts kSqrt{
    .family = &kPointwise,
    .name = "sqrt",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / (2 * result.conj())",
    .tangent = "self_t / (2 * result)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
