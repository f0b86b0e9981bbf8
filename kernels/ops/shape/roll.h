// SPDX-License-Identifier: Apache-2.0
// aten::roll: shifts elements along dims; those shifted past the end reappear at the start.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void roll(const Call& call);

inline constexpr Facts kRoll{
    .family = &kComposite,
    .name = "roll",
    .params = "Tensor self, SymInt[1] shifts, int[1] dims=[]",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&roll},
};

}  // namespace tenon::kernels::ops
