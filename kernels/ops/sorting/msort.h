// SPDX-License-Identifier: Apache-2.0
// aten::msort: elements sorted along the first dim.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void msort(const Call& call);

inline constexpr Facts kMsort{
    .family = &kComposite,
    .name = "msort",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&msort},
};

}  // namespace tenon::kernels::ops
