// SPDX-License-Identifier: Apache-2.0
// aten::maximum: the larger of two elements; NaN if either is NaN.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Maximum {
  TENON_FUNCTOR T operator()(T x, T y) const {
    const T larger = x > y ? x : y;
    // NaN propagates from either side: the comparison is false if y is NaN, which selects y.
    if constexpr (std::is_floating_point_v<T>) return x != x ? x : larger;
    return larger;
  }
};

inline constexpr Facts kMaximum{
    .family = &kPointwise,
    .name = "maximum",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = kPointwiseWithNumbers,
    .gradient =
        "self: where(lt(self, other), 0, where(eq(self, other), grad / 2, grad)); "
        "other: where(gt(self, other), 0, where(eq(self, other), grad / 2, grad))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kBool | kOrderedUnsigned}},
};

inline constexpr Facts kMaxOther{
    .family = &kSynonym,
    .name = "max.other",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise allow_numbers_as_tensors",
    .gradient = "none: calls maximum",
    .tangent = "none: calls maximum",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMaximum,
};

}  // namespace tenon::kernels::ops
