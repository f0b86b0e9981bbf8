// SPDX-License-Identifier: Apache-2.0
// aten::nonzero: the indices of all elements that are not zero, one row each, in row-major order.
#pragma once

#include "kernels/common/routine.h"

namespace tenon::kernels::ops {

// [quote.begin routine]
void nonzero_meta(const Call& call);

inline constexpr Facts kNonzero{
    .family = &kRoutine,
    .name = "nonzero",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "core dynamic_output_shape",
    .gradient = "none: indices",
    .tangent = "none: indices",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&nonzero_meta},
};
// [quote.end]

}  // namespace tenon::kernels::ops
