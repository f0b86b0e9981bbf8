// SPDX-License-Identifier: Apache-2.0
// Gradients of aten::index and aten::index_put.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void index_backward(const Call& call);

// The gradient of self: elements of `grad` are added where index tensors select them; 0 elsewhere.
inline constexpr Facts kIndexBackward{
    .family = &kComposite,
    .name = "index_backward",
    .params = "Tensor grad, SymInt[] sizes, Tensor?[] indices",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&index_backward},
};

void index_put_backward(const Call& call);

// The gradient of self: 0 where index_put wrote, unless it accumulates.
inline constexpr Facts kIndexPutBackward{
    .family = &kComposite,
    .name = "index_put_backward",
    .params = "Tensor grad, Tensor?[] indices, bool accumulate",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&index_put_backward},
};

}  // namespace tenon::kernels::ops
