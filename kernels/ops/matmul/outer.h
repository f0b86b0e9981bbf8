// SPDX-License-Identifier: Apache-2.0
// aten::outer: the products of all pairs of elements of two vectors.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void outer(const Call& call);

inline constexpr Facts kOuter{
    .family = &kComposite,
    .name = "outer",
    .params = "Tensor self, Tensor vec2",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&outer},
};

inline constexpr Facts kGer{
    .family = &kSynonym,
    .name = "ger",
    .params = "Tensor self, Tensor vec2",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls outer",
    .tangent = "none: calls outer",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kOuter,
};

}  // namespace tenon::kernels::ops
