// SPDX-License-Identifier: Apache-2.0
// aten::narrow: a view of a number of elements of a dim, from `start` on.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void narrow(const Call& call);

inline constexpr Facts kNarrow{
    .family = &kComposite,
    .name = "narrow",
    .params = "Tensor(a) self, int dim, SymInt start, SymInt length",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&narrow},
};

}  // namespace tenon::kernels::ops
