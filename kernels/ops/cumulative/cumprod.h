// SPDX-License-Identifier: Apache-2.0
// aten::cumprod: running products along a dim.
#pragma once

#include "kernels/ops/cumulative/cumsum.h"

namespace tenon::kernels::ops {

void cumprod_meta(const Call& call);

inline constexpr Facts kCumprod{
    .family = &kRoutine,
    .name = "cumprod",
    .params = "Tensor self, int dim, *, ScalarType? dtype=None",
    .forms = kAllForms,
    .tags = "",
    .gradient = "self: cumprod_backward(grad, self, dim, result)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&cumprod_meta},
};

void cumprod_backward(const Call& call);

inline constexpr Facts kCumprodBackward{
    .family = &kComposite,
    .name = "cumprod_backward",
    .params = "Tensor grad, Tensor self, int dim, Tensor result",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cumprod_backward},
};

}  // namespace tenon::kernels::ops
