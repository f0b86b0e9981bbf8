// SPDX-License-Identifier: Apache-2.0
// aten::index_copy: writes slices of a tensor to the slices at a vector of indices.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void index_copy(const Call& call);

inline constexpr Facts kIndexCopy{
    .family = &kExplicit,
    .name = "index_copy",
    .params = "Tensor self, int dim, Tensor index, Tensor source",
    .forms = kAllForms,
    .tags = "",
    .gradient = "self: index_fill(grad, dim, index, 0); source: index_select(grad, dim, index)",
    .tangent =
        "index_fill(self_t, dim, index, 0) + "
        "index_copy(zeros_like(result), dim, index, source_t)",
    .batching = Batching::Own,
    .batch = &batch_along_dim,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Widest,
    .routine = {&index_copy},
};

}  // namespace tenon::kernels::ops
