// SPDX-License-Identifier: Apache-2.0
// aten::index_reduce: reduces slices of a tensor into the slices at a vector of indices, by
// product, mean, maximum or minimum.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void index_reduce(const Call& call);

inline constexpr Facts kIndexReduce{
    .family = &kComposite,
    .name = "index_reduce",
    .params =
        "Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&index_reduce},
};

}  // namespace tenon::kernels::ops
