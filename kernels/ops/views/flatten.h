// SPDX-License-Identifier: Apache-2.0
// aten::flatten: joins a range of dims into one, as a view if memory allows it.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void flatten(const Call& call);

inline constexpr Facts kFlatten{
    .family = &kComposite,
    .name = "flatten.using_ints",
    .params = "Tensor(a) self, int start_dim=0, int end_dim=-1",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&flatten},
};

void unflatten(const Call& call);

inline constexpr Facts kUnflattenInt{
    .family = &kComposite,
    .name = "unflatten.int",
    .params = "Tensor(a) self, int dim, SymInt[] sizes",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&unflatten},
};

}  // namespace tenon::kernels::ops
