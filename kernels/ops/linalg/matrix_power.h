// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_power: powers of square matrices; negative ones are powers of the inverse.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void matrix_power(const Call& call);

inline constexpr Facts kLinalgMatrixPower{
    .family = &kComposite,
    .name = "linalg_matrix_power",
    .params = "Tensor self, int n",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&matrix_power},
};

inline constexpr Facts kMatrixPower{
    .family = &kComposite,
    .name = "matrix_power",
    .params = "Tensor self, int n",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&matrix_power},
};

}  // namespace tenon::kernels::ops
