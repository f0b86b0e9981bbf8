// SPDX-License-Identifier: Apache-2.0
// aten::slice_backward: the gradient of slice: `grad_output` at the elements of a range of a dim, 0
// elsewhere.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void slice_backward(const Call& call);

inline constexpr Facts kSliceBackward{
    .family = &kExplicit,
    .name = "slice_backward",
    .params =
        "Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, "
        "SymInt step",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "grad_output: grad.slice(dim, start, end, step)",
    .tangent = "slice_backward(grad_output_t, input_sizes, dim, start, end, step)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&slice_backward},
};

}  // namespace tenon::kernels::ops
