// SPDX-License-Identifier: Apache-2.0
// aten::max_unpool2d: zeros, with elements at the indices in their planes that
// aten::max_pool2d_with_indices returned; aten::max_unpool3d, for volumes.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void max_unpool2d(const Call& call);

inline constexpr Facts kMaxUnpool2d{
    .family = &kComposite,
    .name = "max_unpool2d",
    .params = "Tensor self, Tensor indices, SymInt[2] output_size",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&max_unpool2d},
};

void max_unpool3d(const Call& call);

inline constexpr Facts kMaxUnpool3d{
    .family = &kComposite,
    .name = "max_unpool3d",
    .params = "Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&max_unpool3d},
};

}  // namespace tenon::kernels::ops
