// SPDX-License-Identifier: Apache-2.0
// aten::roll: the elements moved along dims; what leaves at the end comes in at the beginning.
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
