// SPDX-License-Identifier: Apache-2.0
// aten::dot, aten::vdot and aten::inner: sums of elementwise products of two vectors, or along the
// last dims.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void dot(const Call& call);

inline constexpr Facts kDot{
    .family = &kComposite,
    .name = "dot",
    .params = "Tensor self, Tensor tensor",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&dot},
};

void vdot(const Call& call);

inline constexpr Facts kVdot{
    .family = &kComposite,
    .name = "vdot",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&vdot},
};

void inner(const Call& call);

inline constexpr Facts kInner{
    .family = &kComposite,
    .name = "inner",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&inner},
};

void linalg_vecdot(const Call& call);

inline constexpr Facts kLinalgVecdot{
    .family = &kComposite,
    .name = "linalg_vecdot",
    .params = "Tensor x, Tensor y, *, int dim=-1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&linalg_vecdot},
};

}  // namespace tenon::kernels::ops
