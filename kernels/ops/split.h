// SPDX-License-Identifier: Apache-2.0
// aten::split: views of ranges of a dim, one behind the other, all of one size but the last.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void split(const Call& call);

inline constexpr Facts kSplitTensor{
    .family = &kExplicit,
    .name = "split.Tensor",
    .params = "Tensor(a -> *) self, SymInt split_size, int dim=0",
    .returns = "Tensor(a)[]",
    .tags = "",
    .gradient = "self: cat(grads, dim)",
    .tangent = "derived",
    .batching = Batching::View,
    .cast = Cast::None,
    .routine = {&split},
};

}  // namespace tenon::kernels::ops
