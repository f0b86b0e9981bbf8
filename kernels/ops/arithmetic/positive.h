// SPDX-License-Identifier: Apache-2.0
// aten::positive: the tensor itself; refuses bools.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void positive(const Call& call);

inline constexpr Facts kPositive{
    .family = &kComposite,
    .name = "positive",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&positive},
};

}  // namespace tenon::kernels::ops
