// SPDX-License-Identifier: Apache-2.0
// aten::count_nonzero: the number of nonzero elements, over all or some dims.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void count_nonzero(const Call& call);

inline constexpr Facts kCountNonzero{
    .family = &kComposite,
    .name = "count_nonzero",
    .params = "Tensor self, int? dim=None",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&count_nonzero},
};
inline constexpr Facts kCountNonzeroDims{
    .family = &kComposite,
    .name = "count_nonzero.dim_IntList",
    .params = "Tensor self, int[] dim",
    .forms = kFunctional | kOut,
    .out = "dim_IntList_out",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&count_nonzero},
};

}  // namespace tenon::kernels::ops
