// SPDX-License-Identifier: Apache-2.0
// aten::topk: the largest or smallest elements of each line along a dim, sorted, and their original
// indices.
#pragma once

#include "kernels/common/ordered.h"

namespace tenon::kernels::ops {

void topk_meta(const Call& call);

inline constexpr Facts kTopk{
    .family = &kRoutine,
    .name = "topk",
    .params = "Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True",
    .returns = "(Tensor values, Tensor indices)",
    .forms = kFunctional | kOut,
    .out = "values",
    .outs = "values, indices",
    .tags = "core",
    .gradient = "self: value_selecting_reduction_backward(grad, dim, indices, self.sizes(), True)",
    .tangent = "values: gather(self_t, dim, indices)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&topk_meta},
};

}  // namespace tenon::kernels::ops
