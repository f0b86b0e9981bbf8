// SPDX-License-Identifier: Apache-2.0
// aten::all: whether all elements are nonzero, over all or some dims.
#pragma once

#include "kernels/ops/reductions/truth.h"

namespace tenon::kernels::ops {

template <class T>
struct All : Truth<T, true> {};

inline constexpr Facts kAll{
    .family = &kFold,
    .name = "all",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .out = "all_out",
    .tags = "reduction",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kTruthFold,
};
inline constexpr Facts kAllDim{
    .family = &kFold,
    .name = "all.dim",
    .params = "Tensor self, int dim, bool keepdim=False",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kTruthFold,
};
inline constexpr Facts kAllDims{
    .family = &kFold,
    .name = "all.dims",
    .params = "Tensor self, int[]? dim=None, bool keepdim=False",
    .forms = kFunctional | kOut,
    .out = "dims_out",
    .tags = "reduction",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kTruthOfDimsFold,
};

}  // namespace tenon::kernels::ops
