// SPDX-License-Identifier: Apache-2.0
// aten::reshape: the same elements with other sizes: a view if memory allows it, otherwise a copy.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void reshape(const Call& call);

inline constexpr Facts kReshape{
    .family = &kComposite,
    .name = "reshape",
    .params = "Tensor(a) self, SymInt[] shape",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&reshape},
};

void reshape_as(const Call& call);

inline constexpr Facts kReshapeAs{
    .family = &kComposite,
    .name = "reshape_as",
    .params = "Tensor(a) self, Tensor other",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&reshape_as},
};

void ravel(const Call& call);

inline constexpr Facts kRavel{
    .family = &kComposite,
    .name = "ravel",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&ravel},
};

}  // namespace tenon::kernels::ops
