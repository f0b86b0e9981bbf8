// SPDX-License-Identifier: Apache-2.0
// aten::where: elements of self where the condition holds, else of other.
#pragma once

#include "kernels/common/complex.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

template <class T>
struct Where {
  TENON_FUNCTOR T operator()(bool condition, T x, T y) const { return condition ? x : y; }
};

inline constexpr Facts kWhereSelf{
    .family = &kPointwise,
    .name = "where.self",
    .params = "Tensor condition, Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "self_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "self: where(condition, grad, 0); other: where(condition, 0, grad)",
    .tangent = "where(condition, self_t, other_t)",
    .batching = Batching::Pointwise,
    .cast = Cast::Widest,
    .pointwise = {.rule = {kAllDtypes}, .masks = 1, .moves = true},
};

}  // namespace tenon::kernels::ops
