// SPDX-License-Identifier: Apache-2.0
// tenon::pow_backward: the gradient of pow with a number as exponent.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void pow_backward(const Call& call);

inline constexpr Facts kPowBackward{
    .family = &kComposite,
    .name = "pow_backward",
    .params = "Tensor grad, Tensor self, Scalar exponent",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pow_backward},
};

}  // namespace tenon::kernels::ops
