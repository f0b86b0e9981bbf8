// SPDX-License-Identifier: Apache-2.0
// aten::vander and aten::linalg_vander: the powers of each element of a vector, one row each.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void vander(const Call& call);

inline constexpr Facts kVander{
    .family = &kComposite,
    .name = "vander",
    .params = "Tensor x, int? N=None, bool increasing=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&vander},
};

void linalg_vander(const Call& call);

inline constexpr Facts kLinalgVander{
    .family = &kComposite,
    .name = "linalg_vander",
    .params = "Tensor x, *, SymInt? N=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_vander},
};

}  // namespace tenon::kernels::ops
