// SPDX-License-Identifier: Apache-2.0
// aten::combinations: all combinations of elements of a vector; aten::cartesian_prod: all choices
// of one element from each of several vectors.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void combinations(const Call& call);

inline constexpr Facts kCombinations{
    .family = &kComposite,
    .name = "combinations",
    .params = "Tensor self, int r=2, bool with_replacement=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&combinations},
};

void cartesian_prod(const Call& call);

inline constexpr Facts kCartesianProd{
    .family = &kComposite,
    .name = "cartesian_prod",
    .params = "Tensor[] tensors",
    .tags = "maybe_aliasing_or_mutating",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cartesian_prod},
};

}  // namespace tenon::kernels::ops
