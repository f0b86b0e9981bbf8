// SPDX-License-Identifier: Apache-2.0
// aten::any: whether any element is nonzero, over all or some dims.
#pragma once

#include "kernels/ops/reductions/truth.h"

namespace tenon::kernels::ops {

template <class T>
struct Any : Truth<T, false> {};

inline constexpr Facts kAny{
    .family = &kFold,
    .name = "any",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .out = "all_out",
    .tags = "core reduction",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kTruthFold,
};
inline constexpr Facts kAnyDim{
    .family = &kFold,
    .name = "any.dim",
    .params = "Tensor self, int dim, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "core reduction",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kTruthFold,
};
inline constexpr Facts kAnyDims{
    .family = &kFold,
    .name = "any.dims",
    .params = "Tensor self, int[]? dim=None, bool keepdim=False",
    .forms = kFunctional | kOut,
    .out = "dims_out",
    .tags = "core reduction",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kTruthOfDimsFold,
};

}  // namespace tenon::kernels::ops
