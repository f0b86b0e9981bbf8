// SPDX-License-Identifier: Apache-2.0
// aten::rot90: rotates a plane by quarter turns; aten::fliplr and aten::flipud, which reverse
// columns and rows.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void rot90(const Call& call);

inline constexpr Facts kRot90{
    .family = &kComposite,
    .name = "rot90",
    .params = "Tensor self, int k=1, int[] dims=[0, 1]",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&rot90},
};

void fliplr(const Call& call);

inline constexpr Facts kFliplr{
    .family = &kComposite,
    .name = "fliplr",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fliplr},
};

void flipud(const Call& call);

inline constexpr Facts kFlipud{
    .family = &kComposite,
    .name = "flipud",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&flipud},
};

}  // namespace tenon::kernels::ops
