// SPDX-License-Identifier: Apache-2.0
// aten::fmin: the smaller of two elements; if one of them is NaN, the other one is returned.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Fmin {
  TENON_FUNCTOR T operator()(T x, T y) const { return x < y || y != y ? x : y; }
};

inline constexpr Facts kFmin{
    .family = &kPointwise,
    .name = "fmin",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: where(eq(self, other), grad / 2, "
        "where(logical_or(lt(self, other), isnan(other)), grad, 0)); "
        "other: where(eq(self, other), grad / 2, "
        "where(logical_or(lt(self, other), isnan(other)), 0, grad))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kOrderedUnsigned}},
};

}  // namespace tenon::kernels::ops
