// SPDX-License-Identifier: Apache-2.0
// aten::max.dim: the largest elements along a dim, and the index of the first of each.
#pragma once

#include "kernels/ops/largest.h"

namespace tenon::kernels::ops {

template <class T>
struct MaxDim : ExtremeDim<T, true> {};

inline constexpr Facts kMaxDim{
    .family = &kFold,
    .name = "max.dim",
    .params = "Tensor self, int dim, bool keepdim=False",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "dim_max",
    .outs = "max, max_values",
    .tags = "core reduction",
    .gradient = "self: grad to the elements at the indices",
    .tangent = "self_t at the indices",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kExtremeFold,
};

}  // namespace tenon::kernels::ops
