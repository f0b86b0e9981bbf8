// SPDX-License-Identifier: Apache-2.0
// aten::item: the single element of a tensor, as a number.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void item(const Call& call);

inline constexpr Facts kItem{
    .family = &kComposite,
    .name = "item",
    .params = "Tensor self",
    .returns = "Scalar",
    .tags = "data_dependent_output",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&item},
};

}  // namespace tenon::kernels::ops
