// SPDX-License-Identifier: Apache-2.0
// aten::conj: the complex conjugate: of real tensors the tensor itself, of complex ones a new one,
// as there is no view that conjugates when it is read.
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
