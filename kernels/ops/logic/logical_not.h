// SPDX-License-Identifier: Apache-2.0
// aten::logical_not: whether elements are 0.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct LogicalNot {
  TENON_FUNCTOR bool operator()(T x) const { return x == T(0); }
};

inline constexpr Facts kLogicalNot{
    .family = &kPointwise,
    .name = "logical_not",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kBool | kNumbers, Promote::Common, Gives::Bool}},
};

}  // namespace tenon::kernels::ops
