// SPDX-License-Identifier: Apache-2.0
// aten::flip: elements in reversed order along some dims.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Returns a new result or the call's `out`. Bit d of `out_dims` is set if dim d is reversed.
Tensor flip_result(const Call& call, uint64_t* out_dims);

namespace ops {

void flip_meta(const Call& call);

inline constexpr Facts kFlip{
    .family = &kRoutine,
    .name = "flip",
    .params = "Tensor self, int[] dims",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: grad.flip(dims)",
    .tangent = "self_t.flip(dims)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&flip_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
