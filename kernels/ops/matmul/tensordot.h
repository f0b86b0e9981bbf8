// SPDX-License-Identifier: Apache-2.0
// aten::tensordot: products of two tensors, summed over pairs of their dims.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void tensordot(const Call& call);

inline constexpr Facts kTensordot{
    .family = &kComposite,
    .name = "tensordot",
    .params = "Tensor self, Tensor other, int[] dims_self, int[] dims_other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&tensordot},
};

}  // namespace tenon::kernels::ops
