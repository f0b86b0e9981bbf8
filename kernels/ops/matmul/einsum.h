// SPDX-License-Identifier: Apache-2.0
// aten::einsum: products of tensors, summed over dims according to an equation.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void einsum(const Call& call);

inline constexpr Facts kEinsum{
    .family = &kComposite,
    .name = "einsum",
    .params = "str equation, Tensor[] tensors, *, int[]? path=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&einsum},
};

}  // namespace tenon::kernels::ops
