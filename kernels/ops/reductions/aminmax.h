// SPDX-License-Identifier: Apache-2.0
// aten::aminmax: the smallest and the largest element, over all elements or along a dim.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void aminmax(const Call& call);

inline constexpr Facts kAminmax{
    .family = &kComposite,
    .name = "aminmax",
    .params = "Tensor self, *, int? dim=None, bool keepdim=False",
    .returns = "(Tensor min, Tensor max)",
    .forms = kFunctional | kOut,
    .outs = "min, max",
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&aminmax},
};

}  // namespace tenon::kernels::ops
