// SPDX-License-Identifier: Apache-2.0
// aten::one_hot: class numbers as rows with a one at the index of the class.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void one_hot(const Call& call);

inline constexpr Facts kOneHot{
    .family = &kComposite,
    .name = "one_hot",
    .params = "Tensor self, int num_classes=-1",
    .tags = "dynamic_output_shape",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&one_hot},
};

}  // namespace tenon::kernels::ops
