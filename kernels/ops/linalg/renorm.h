// SPDX-License-Identifier: Apache-2.0
// aten::renorm: scales slices along a dim whose norm exceeds a number down to it.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void renorm(const Call& call);

inline constexpr Facts kRenorm{
    .family = &kComposite,
    .name = "renorm",
    .params = "Tensor self, Scalar p, int dim, Scalar maxnorm",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&renorm},
};

}  // namespace tenon::kernels::ops
