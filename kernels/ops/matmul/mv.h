// SPDX-License-Identifier: Apache-2.0
// aten::mv: a matrix times a vector; aten::addmv, which adds it to another vector.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void mv(const Call& call);

inline constexpr Facts kMv{
    .family = &kComposite,
    .name = "mv",
    .params = "Tensor self, Tensor vec",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&mv},
};

void addmv(const Call& call);

inline constexpr Facts kAddmv{
    .family = &kComposite,
    .name = "addmv",
    .params = "Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .cast_on_cpu = Cast::None,
    .routine = {&addmv},
};

}  // namespace tenon::kernels::ops
