// SPDX-License-Identifier: Apache-2.0
// aten::clone: a copy with separate memory.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void clone(const Call& call);

inline constexpr Facts kClone{
    .family = &kExplicit,
    .name = "clone",
    .params = "Tensor self, *, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "core pointwise copies_input",
    .gradient = "self: grad",
    .tangent = "self_t.clone(memory_format=memory_format)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&clone},
};

}  // namespace tenon::kernels::ops
