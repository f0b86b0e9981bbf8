// SPDX-License-Identifier: Apache-2.0
// aten::split_with_sizes: views of consecutive ranges of a dim, of the given sizes.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void split_with_sizes(const Call& call);

inline constexpr Facts kSplitWithSizes{
    .family = &kExplicit,
    .name = "split_with_sizes",
    .params = "Tensor(a -> *) self, SymInt[] split_sizes, int dim=0",
    .returns = "Tensor(a)[]",
    .tags = "core inverse=aten::slice_scatter($base,$part,dim,$start,$end,1)",
    .gradient = "self: cat(grads, dim)",
    .tangent = "derived",
    .batching = Batching::View,
    .cast = Cast::None,
    .routine = {&split_with_sizes},
};

}  // namespace tenon::kernels::ops
