// SPDX-License-Identifier: Apache-2.0
// aten::sum_to_size: the sum over the dims along which smaller sizes would be broadcast.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void sum_to_size(const Call& call);

inline constexpr Facts kSumToSize{
    .family = &kComposite,
    .name = "sum_to_size",
    .params = "Tensor self, SymInt[] size",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&sum_to_size},
};

}  // namespace tenon::kernels::ops
