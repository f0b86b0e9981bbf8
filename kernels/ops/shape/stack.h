// SPDX-License-Identifier: Apache-2.0
// aten::stack: concatenates tensors of one size along a new dim.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void stack(const Call& call);

inline constexpr Facts kStack{
    .family = &kExplicit,
    .name = "stack",
    .params = "Tensor[] tensors, int dim=0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "tensors: unbind(grad, dim)",
    .tangent = "stack(tensors_t, dim)",
    .batching = Batching::Own,
    .batch = &batch_join,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Widest,
    .routine = {&stack, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
