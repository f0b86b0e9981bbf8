// SPDX-License-Identifier: Apache-2.0
// aten::addmm: the product of two matrices, added to a tensor that broadcasts to it.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void addmm(const Call& call);

inline constexpr Facts kAddmm{
    .family = &kExplicit,
    .name = "addmm",
    .params = "Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "core",
    .gradient =
        "self: (grad.conj() * beta).conj(); "
        "mat1: (grad.mm(mat2.t().conj()).conj() * alpha).conj(); "
        "mat2: (mat1.t().conj().mm(grad).conj() * alpha).conj()",
    .tangent = "self_t * beta + (mat1_t.mm(mat2) + mat1.mm(mat2_t)) * alpha",
    .batching = Batching::Product,
    .cast = Cast::Lower,
    .routine = {&addmm},
};

}  // namespace tenon::kernels::ops
