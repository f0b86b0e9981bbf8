// SPDX-License-Identifier: Apache-2.0
// aten::cov: covariances of variables, one per row; aten::corrcoef: correlation coefficients.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void cov(const Call& call);

inline constexpr Facts kCov{
    .family = &kComposite,
    .name = "cov",
    .params = "Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cov},
};

void corrcoef(const Call& call);

inline constexpr Facts kCorrcoef{
    .family = &kComposite,
    .name = "corrcoef",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&corrcoef},
};

}  // namespace tenon::kernels::ops
