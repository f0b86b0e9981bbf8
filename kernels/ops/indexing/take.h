// SPDX-License-Identifier: Apache-2.0
// aten::take: the elements at row-major indices of self.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void take(const Call& call);

inline constexpr Facts kTake{
    .family = &kExplicit,
    .name = "take",
    .params = "Tensor self, Tensor index",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: take_backward(grad, self.sizes(), index)",
    .tangent = "take(self_t, index)",
    .batching = Batching::Own,
    .batch = &batch_take,
    .cast = Cast::None,
    .routine = {&take},
};

void take_backward(const Call& call);

// The gradient of self: elements of `grad` are added where they were taken; 0 elsewhere.
inline constexpr Facts kTakeBackward{
    .family = &kComposite,
    .name = "take_backward",
    .params = "Tensor grad, SymInt[] sizes, Tensor index",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&take_backward},
};

}  // namespace tenon::kernels::ops
