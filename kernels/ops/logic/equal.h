// SPDX-License-Identifier: Apache-2.0
// aten::equal: whether two tensors have the same sizes and elements.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void equal(const Call& call);

inline constexpr Facts kEqual{
    .family = &kComposite,
    .name = "equal",
    .params = "Tensor self, Tensor other",
    .returns = "bool",
    .tags = "data_dependent_output",
    .gradient = "none: a bool",
    .tangent = "none: a bool",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&equal},
};

}  // namespace tenon::kernels::ops
