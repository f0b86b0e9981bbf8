// SPDX-License-Identifier: Apache-2.0
// aten::glu: one half of a dim times the sigmoid of the other half; aten::prelu: leaky ReLU with a
// separate slope for each channel.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void glu(const Call& call);

inline constexpr Facts kGlu{
    .family = &kComposite,
    .name = "glu",
    .params = "Tensor self, int dim=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&glu, /*writes_out=*/true},
};

void prelu(const Call& call);

inline constexpr Facts kPrelu{
    .family = &kComposite,
    .name = "prelu",
    .params = "Tensor self, Tensor weight",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&prelu},
};

}  // namespace tenon::kernels::ops
