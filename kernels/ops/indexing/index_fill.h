// SPDX-License-Identifier: Apache-2.0
// aten::index_fill: writes a number to the slices at a vector of indices.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void index_fill(const Call& call);

inline constexpr Facts kIndexFillIntScalar{
    .family = &kExplicit,
    .name = "index_fill.int_Scalar",
    .params = "Tensor self, int dim, Tensor index, Scalar value",
    .forms = kAllForms,
    .out = "int_Scalar_out",
    .tags = "",
    .gradient = "self: index_fill(grad, dim, index, 0)",
    .tangent = "index_fill(self_t, dim, index, 0)",
    .batching = Batching::Own,
    .batch = &batch_along_dim,
    .cast = Cast::None,
    .routine = {&index_fill},
};
inline constexpr Facts kIndexFillIntTensor{
    .family = &kExplicit,
    .name = "index_fill.int_Tensor",
    .params = "Tensor self, int dim, Tensor index, Tensor value",
    .forms = kAllForms,
    .out = "int_Tensor_out",
    .tags = "",
    .gradient =
        "self: index_fill(grad, dim, index, 0); "
        "value: where(ne(index_fill(zeros_like(grad), dim, index, 1), 0), grad, 0).sum()",
    .tangent =
        "index_fill(self_t, dim, index, 0) + index_fill(zeros_like(result), dim, index, value_t)",
    .batching = Batching::Own,
    .node_number = 1,
    .batch = &batch_along_dim,
    .cast = Cast::None,
    .routine = {&index_fill},
};

}  // namespace tenon::kernels::ops
