// SPDX-License-Identifier: Apache-2.0
// aten::select_backward: the gradient of select: `grad_output` at one index of a dim, 0 elsewhere.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void select_backward(const Call& call);

inline constexpr Facts kSelectBackward{
    .family = &kExplicit,
    .name = "select_backward",
    .params = "Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "grad_output: grad.select(dim, index)",
    .tangent = "select_backward(grad_output_t, input_sizes, dim, index)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&select_backward},
};

}  // namespace tenon::kernels::ops
