// SPDX-License-Identifier: Apache-2.0
// aten::addr: the outer product of two vectors, added to a matrix.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void addr(const Call& call);

inline constexpr Facts kAddr{
    .family = &kComposite,
    .name = "addr",
    .params = "Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&addr, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
