// SPDX-License-Identifier: Apache-2.0
// aten::mvlgamma: the logarithm of the multivariate gamma function of dimension p, also under its
// newer name.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void mvlgamma(const Call& call);

inline constexpr Facts kMvlgamma{
    .family = &kComposite,
    .name = "mvlgamma",
    .params = "Tensor self, int p",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&mvlgamma, /*writes_out=*/true},
};

inline constexpr Facts kSpecialMultigammaln{
    .family = &kSynonym,
    .name = "special_multigammaln",
    .params = "Tensor self, int p",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls mvlgamma",
    .tangent = "none: calls mvlgamma",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kMvlgamma,
};

}  // namespace tenon::kernels::ops
