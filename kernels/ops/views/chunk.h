// SPDX-License-Identifier: Apache-2.0
// aten::chunk: at most a given number of views of consecutive ranges of a dim, all of one size
// except the last.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void chunk(const Call& call);

inline constexpr Facts kChunk{
    .family = &kComposite,
    .name = "chunk",
    .params = "Tensor(a -> *) self, int chunks, int dim=0",
    .returns = "Tensor(a)[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&chunk},
};

}  // namespace tenon::kernels::ops
