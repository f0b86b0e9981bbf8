// SPDX-License-Identifier: Apache-2.0
// aten::contiguous: the tensor itself if it has the memory format, otherwise a copy that does.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void contiguous(const Call& call);

inline constexpr Facts kContiguous{
    .family = &kComposite,
    .name = "contiguous",
    .params = "Tensor(a) self, *, MemoryFormat memory_format=0",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&contiguous},
};

}  // namespace tenon::kernels::ops
