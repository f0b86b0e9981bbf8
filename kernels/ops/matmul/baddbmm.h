// SPDX-License-Identifier: Apache-2.0
// aten::baddbmm: products of a batch of matrices, each added to another one; aten::addbmm: their
// sum, added to a matrix.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void baddbmm(const Call& call);

inline constexpr Facts kBaddbmm{
    .family = &kComposite,
    .name = "baddbmm",
    .params = "Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&baddbmm},
};

void addbmm(const Call& call);

inline constexpr Facts kAddbmm{
    .family = &kComposite,
    .name = "addbmm",
    .params = "Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&addbmm},
};

}  // namespace tenon::kernels::ops
