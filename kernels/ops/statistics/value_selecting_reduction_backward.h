// SPDX-License-Identifier: Apache-2.0
// aten::value_selecting_reduction_backward: the gradient of a reduction that selects one element
// along a dim: `grad` at its index, 0 elsewhere.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void value_selecting_reduction_backward(const Call& call);

inline constexpr Facts kValueSelectingReductionBackward{
    .family = &kComposite,
    .name = "value_selecting_reduction_backward",
    .params = "Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&value_selecting_reduction_backward},
};

}  // namespace tenon::kernels::ops
