// SPDX-License-Identifier: Apache-2.0
// tenon::sinc_backward: the gradient of aten::sinc.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void sinc_backward(const Call& call);

inline constexpr Facts kSincBackward{
    .family = &kComposite,
    .name = "sinc_backward",
    .params = "Tensor grad, Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&sinc_backward},
};

}  // namespace tenon::kernels::ops
