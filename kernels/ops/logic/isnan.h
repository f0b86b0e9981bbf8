// SPDX-License-Identifier: Apache-2.0
// aten::isnan: whether elements are NaN; for complex ones, whether a part is.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct IsNan {
  TENON_FUNCTOR bool operator()(T x) const { return x != x; }
};

inline constexpr Facts kIsNan{
    .family = &kPointwise,
    .name = "isnan",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes, Promote::Common, Gives::Bool}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
