// SPDX-License-Identifier: Apache-2.0
// aten::max: the largest element of all; along a dim, with the index of the first largest one.
#pragma once

#include "kernels/ops/reductions/amax.h"
#include "kernels/ops/reductions/largest.h"

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
    .gradient =
        "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), keepdim)",
    .tangent = "derived",
    .batching = Batching::Fold,
    .cast = Cast::None,
    .fold = kExtremeFold,
};

template <class T>
struct MaxAll : Amax<T> {};

inline constexpr Facts kMax{
    .family = &kFold,
    .name = "max",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .out = "unary_out",
    .tags = "reduction",
    .gradient =
        "self: where(isnan(result), isnan(self), eq(self, result)) * "
        "(grad / where(isnan(result), isnan(self), eq(self, result)).sum())",
    .tangent = "derived",
    .batching = Batching::Fold,
    .node_number = 1,
    .cast = Cast::None,
    .fold = {.types = kReals | kBool | kOrderedUnsigned, .needs_elements = true},
};

}  // namespace tenon::kernels::ops
