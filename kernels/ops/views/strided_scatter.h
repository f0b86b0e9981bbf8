// SPDX-License-Identifier: Apache-2.0
// tenon::strided_scatter: the gradient of as_strided: elements of a view's gradient at the
// positions of the view's elements in its base, summed where they share memory, 0 elsewhere.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void strided_scatter(const Call& call);

inline constexpr Facts kStridedScatter{
    .family = &kComposite,
    .name = "strided_scatter",
    .params =
        "Tensor grad, SymInt[] size, SymInt[] stride, SymInt storage_offset, "
        "SymInt[] base_size, SymInt[] base_stride, SymInt base_storage_offset",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Own,
    .batch = &batch_strided_scatter,
    .cast = Cast::None,
    .routine = {&strided_scatter},
};

}  // namespace tenon::kernels::ops
