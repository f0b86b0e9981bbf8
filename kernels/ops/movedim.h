// SPDX-License-Identifier: Apache-2.0
// aten::movedim: a view with some dims moved to other positions, the rest in their order.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void movedim(const Call& call);

inline constexpr Facts kMovedim{
    .family = &kComposite,
    .name = "movedim.intlist",
    .params = "Tensor(a) self, int[] source, int[] destination",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&movedim},
};

void movedim_int(const Call& call);

inline constexpr Facts kMovedimInt{
    .family = &kComposite,
    .name = "movedim.int",
    .params = "Tensor(a) self, int source, int destination",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&movedim_int},
};

}  // namespace tenon::kernels::ops
