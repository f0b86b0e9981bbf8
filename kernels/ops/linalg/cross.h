// SPDX-License-Identifier: Apache-2.0
// aten::linalg_cross: cross products of 3-element vectors; aten::cross, which finds the dim of size
// 3 itself.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void linalg_cross(const Call& call);

inline constexpr Facts kLinalgCross{
    .family = &kComposite,
    .name = "linalg_cross",
    .params = "Tensor self, Tensor other, *, int dim=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_cross},
};

void cross(const Call& call);

inline constexpr Facts kCross{
    .family = &kComposite,
    .name = "cross",
    .params = "Tensor self, Tensor other, int? dim=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&cross},
};

}  // namespace tenon::kernels::ops
