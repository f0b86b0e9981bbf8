// SPDX-License-Identifier: Apache-2.0
// aten::minimum: the smaller of two elements; NaN if either is NaN.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Minimum {
  TENON_FUNCTOR T operator()(T x, T y) const {
    const T smaller = x < y ? x : y;
    // NaN propagates from either side: the comparison is false if y is NaN, which selects y.
    if constexpr (std::is_floating_point_v<T>) return x != x ? x : smaller;
    return smaller;
  }
};

inline constexpr Facts kMinimum{
    .family = &kPointwise,
    .name = "minimum",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = kPointwiseWithNumbers,
    .gradient =
        "self: where(gt(self, other), 0, where(eq(self, other), grad / 2, grad)); "
        "other: where(lt(self, other), 0, where(eq(self, other), grad / 2, grad))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kOrderedUnsigned}},
};

inline constexpr Facts kMinOther{
    .family = &kSynonym,
    .name = "min.other",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise allow_numbers_as_tensors",
    .gradient = "none: calls minimum",
    .tangent = "none: calls minimum",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMinimum,
};

}  // namespace tenon::kernels::ops
