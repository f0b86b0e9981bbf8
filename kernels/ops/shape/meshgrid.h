// SPDX-License-Identifier: Apache-2.0
// aten::meshgrid: the coordinates of the grid that vectors span, one tensor for each vector.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void meshgrid(const Call& call);

inline constexpr Facts kMeshgrid{
    .family = &kComposite,
    .name = "meshgrid",
    .params = "Tensor[] tensors",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&meshgrid},
};

void meshgrid_indexing(const Call& call);

inline constexpr Facts kMeshgridIndexing{
    .family = &kComposite,
    .name = "meshgrid.indexing",
    .params = "Tensor[] tensors, *, str indexing",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&meshgrid_indexing},
};

}  // namespace tenon::kernels::ops
