// SPDX-License-Identifier: Apache-2.0
// aten::index_add: adds slices of a tensor, times a number, to the slices at a vector of indices.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void index_add(const Call& call);

inline constexpr Facts kIndexAdd{
    .family = &kExplicit,
    .name = "index_add",
    .params = "Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "",
    .gradient = "self: grad; source: (index_select(grad, dim, index).conj() * alpha).conj()",
    .tangent = "self_t + index_add(zeros_like(result), dim, index, source_t, alpha=alpha)",
    .batching = Batching::Own,
    .batch = &batch_along_dim,
    .cast = Cast::None,
    .routine = {&index_add},
};

}  // namespace tenon::kernels::ops
