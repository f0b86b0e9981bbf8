// SPDX-License-Identifier: Apache-2.0
// aten::_to_copy: a copy with another dtype, device or memory format.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void to_copy(const Call& call);

inline constexpr Facts kToCopy{
    .family = &kExplicit,
    .name = "_to_copy",
    .params = "Tensor self, *, $options, bool non_blocking=False, MemoryFormat? memory_format=None",
    .forms = kFunctional | kOut,
    .tags = "core copies_input",
    .gradient = "self: grad",
    .tangent =
        "_to_copy(self_t, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, "
        "non_blocking=non_blocking, memory_format=memory_format)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&to_copy},
};

}  // namespace tenon::kernels::ops
