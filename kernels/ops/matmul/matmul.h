// SPDX-License-Identifier: Apache-2.0
// aten::matmul: products of vectors, matrices and batches of them; batches are broadcast.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void matmul(const Call& call);

inline constexpr Facts kMatmul{
    .family = &kComposite,
    .name = "matmul",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&matmul},
};

}  // namespace tenon::kernels::ops
