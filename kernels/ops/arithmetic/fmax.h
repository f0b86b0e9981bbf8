// SPDX-License-Identifier: Apache-2.0
// aten::fmax: the larger of two elements; if one of them is NaN, the other one is returned.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Fmax {
  TENON_FUNCTOR T operator()(T x, T y) const { return x > y || y != y ? x : y; }
};

inline constexpr Facts kFmax{
    .family = &kPointwise,
    .name = "fmax",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: where(eq(self, other), grad / 2, "
        "where(logical_or(gt(self, other), isnan(other)), grad, 0)); "
        "other: where(eq(self, other), grad / 2, "
        "where(logical_or(gt(self, other), isnan(other)), 0, grad))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kOrderedUnsigned}},
};

}  // namespace tenon::kernels::ops
