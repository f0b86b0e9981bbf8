// SPDX-License-Identifier: Apache-2.0
// aten::linear: rows times the rows of a weight, plus a bias.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void linear(const Call& call);

inline constexpr Facts kLinear{
    .family = &kComposite,
    .name = "linear",
    .params = "Tensor input, Tensor weight, Tensor? bias=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&linear},
};

}  // namespace tenon::kernels::ops
