// SPDX-License-Identifier: Apache-2.0
// aten::kl_div: the divergence of two distributions; aten::poisson_nll_loss: the negative
// log-likelihood of counts.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void kl_div(const Call& call);

inline constexpr Facts kKlDiv{
    .family = &kComposite,
    .name = "kl_div",
    .params = "Tensor self, Tensor target, int reduction=1, *, bool log_target=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&kl_div},
};

void poisson_nll_loss(const Call& call);

inline constexpr Facts kPoissonNllLoss{
    .family = &kComposite,
    .name = "poisson_nll_loss",
    .params =
        "Tensor input, Tensor target, bool log_input, bool full, float eps, int "
        "reduction",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&poisson_nll_loss},
};

}  // namespace tenon::kernels::ops
