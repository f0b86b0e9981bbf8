// SPDX-License-Identifier: Apache-2.0
// aten::mse_loss and similar operators: deviations from a target, for each element, on average or
// in total.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void mse_loss(const Call& call);

inline constexpr Facts kMseLoss{
    .family = &kComposite,
    .name = "mse_loss",
    .params = "Tensor self, Tensor target, int reduction=1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&mse_loss, /*writes_out=*/true},
};

void l1_loss(const Call& call);

inline constexpr Facts kL1Loss{
    .family = &kComposite,
    .name = "l1_loss",
    .params = "Tensor self, Tensor target, int reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&l1_loss},
};

void smooth_l1_loss(const Call& call);

inline constexpr Facts kSmoothL1Loss{
    .family = &kComposite,
    .name = "smooth_l1_loss",
    .params = "Tensor self, Tensor target, int reduction=1, float beta=1.0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&smooth_l1_loss, /*writes_out=*/true},
};

void huber_loss(const Call& call);

inline constexpr Facts kHuberLoss{
    .family = &kComposite,
    .name = "huber_loss",
    .params = "Tensor self, Tensor target, int reduction=1, float delta=1.0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&huber_loss, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
