// SPDX-License-Identifier: Apache-2.0
// aten::trace: the sum of the diagonal elements of a matrix.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void trace(const Call& call);

inline constexpr Facts kTrace{
    .family = &kComposite,
    .name = "trace",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&trace},
};

}  // namespace tenon::kernels::ops
