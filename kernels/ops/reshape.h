// SPDX-License-Identifier: Apache-2.0
// aten::reshape: the same elements under other sizes: a view where memory allows it, else a copy.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void reshape(const Call& call);

inline constexpr Facts kReshape{
    .family = &kComposite,
    .name = "reshape",
    .params = "Tensor(a) self, SymInt[] shape",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&reshape},
};

}  // namespace tenon::kernels::ops
