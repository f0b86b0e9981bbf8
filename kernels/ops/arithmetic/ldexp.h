// SPDX-License-Identifier: Apache-2.0
// aten::ldexp: self times 2 to the power of other.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void ldexp(const Call& call);

inline constexpr Facts kLdexpTensor{
    .family = &kComposite,
    .name = "ldexp.Tensor",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .in_place = "",
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&ldexp, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
