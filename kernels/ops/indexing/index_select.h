// SPDX-License-Identifier: Apache-2.0
// aten::index_select: the slices of one dim at a vector of indices.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void index_select(const Call& call);

inline constexpr Facts kIndexSelect{
    .family = &kExplicit,
    .name = "index_select",
    .params = "Tensor self, int dim, Tensor index",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: index_select_backward(grad, self.sizes(), dim, index)",
    .tangent = "index_select(self_t, dim, index)",
    .batching = Batching::Own,
    .batch = &batch_along_dim,
    .cast = Cast::None,
    .routine = {&index_select},
};

void index_select_backward(const Call& call);

// The gradient of self: slices of `grad` are added where they were selected; 0 elsewhere.
inline constexpr Facts kIndexSelectBackward{
    .family = &kComposite,
    .name = "index_select_backward",
    .params = "Tensor grad, SymInt[] self_sizes, int dim, Tensor index",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&index_select_backward},
};

}  // namespace tenon::kernels::ops
