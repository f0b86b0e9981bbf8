// SPDX-License-Identifier: Apache-2.0
// aten::conj: the complex conjugate. Real tensors are returned unchanged; complex ones are copied,
// because Tenon has no lazily conjugated views.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void conj(const Call& call);

inline constexpr Facts kConj{
    .family = &kComposite,
    .name = "conj",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&conj},
};

}  // namespace tenon::kernels::ops
