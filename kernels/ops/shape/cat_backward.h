// SPDX-License-Identifier: Apache-2.0
// tenon::cat_backward: the gradients of the tensors of cat, with the given sizes.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void cat_backward(const Call& call);

inline constexpr Facts kCatBackward{
    .family = &kComposite,
    .name = "cat_backward",
    .params = "Tensor(a -> *) grad, int[][] sizes, int dim",
    .returns = "Tensor(a)[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cat_backward},
};

}  // namespace tenon::kernels::ops
