// SPDX-License-Identifier: Apache-2.0
// aten::movedim: a view with some dims moved to other positions; all others keep their order.
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

inline constexpr Facts kMoveaxisInt{
    .family = &kSynonym,
    .name = "moveaxis.int",
    .params = "Tensor(a) self, int source, int destination",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: calls movedim",
    .tangent = "none: calls movedim",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMovedimInt,
};

inline constexpr Facts kMoveaxisIntlist{
    .family = &kSynonym,
    .name = "moveaxis.intlist",
    .params = "Tensor(a) self, int[] source, int[] destination",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: calls movedim",
    .tangent = "none: calls movedim",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMovedim,
};

}  // namespace tenon::kernels::ops
