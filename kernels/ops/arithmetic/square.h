// SPDX-License-Identifier: Apache-2.0
// aten::square: the square of each element.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void square(const Call& call);

inline constexpr Facts kSquare{
    .family = &kComposite,
    .name = "square",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&square, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
