// SPDX-License-Identifier: Apache-2.0
// aten::kron: the Kronecker product of two tensors.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void kron(const Call& call);

inline constexpr Facts kKron{
    .family = &kComposite,
    .name = "kron",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&kron},
};

}  // namespace tenon::kernels::ops
