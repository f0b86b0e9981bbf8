// SPDX-License-Identifier: Apache-2.0
// aten::logical_and: whether both elements are nonzero.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct LogicalAnd {
  TENON_FUNCTOR bool operator()(T x, T y) const { return (x != T(0)) && (y != T(0)); }
};

inline constexpr Facts kLogicalAnd{
    .family = &kPointwise,
    .name = "logical_and",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kBool | kNumbers, Promote::Common, Gives::Bool}},
};

}  // namespace tenon::kernels::ops
