// SPDX-License-Identifier: Apache-2.0
// aten::split: views of consecutive ranges of a dim, all of one size except the last, or of given
// sizes.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void split(const Call& call);

inline constexpr Facts kSplitTensor{
    .family = &kExplicit,
    .name = "split.Tensor",
    .params = "Tensor(a -> *) self, SymInt split_size, int dim=0",
    .returns = "Tensor(a)[]",
    .tags = "inverse=aten::slice_scatter($base,$part,dim,$start,$end,1)",
    .gradient = "self: cat(grads, dim)",
    .tangent = "derived",
    .batching = Batching::View,
    .cast = Cast::None,
    .routine = {&split},
};

void split_sizes(const Call& call);

inline constexpr Facts kSplitSizes{
    .family = &kComposite,
    .name = "split.sizes",
    .params = "Tensor(a -> *) self, SymInt[] split_size, int dim=0",
    .returns = "Tensor(a)[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&split_sizes},
};

}  // namespace tenon::kernels::ops
