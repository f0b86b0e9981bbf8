// SPDX-License-Identifier: Apache-2.0
// aten::conv2d: sums of the elements that a window sees, times the weights of its places, for each
// place and each output channel.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void conv2d(const Call& call);

inline constexpr Facts kConv2d{
    .family = &kComposite,
    .name = "conv2d",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
        "SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv2d},
};

}  // namespace tenon::kernels::ops
