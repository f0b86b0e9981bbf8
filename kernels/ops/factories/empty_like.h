// SPDX-License-Identifier: Apache-2.0
// aten::empty_like: an uninitialized tensor of the same sizes.
#pragma once

#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

inline void empty_like(const Call& call) { end_factory(call, begin_factory(call)); }

inline constexpr Facts kEmptyLike{
    .family = &kExplicit,
    .name = "empty_like",
    .params = "Tensor self, *, $options, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: elements of any value",
    .tangent = "none: elements of any value",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&empty_like, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
