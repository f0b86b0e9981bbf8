// SPDX-License-Identifier: Apache-2.0
// aten::nll_loss_nd and aten::cross_entropy_loss: how unlikely the classes are that are true.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void nll_loss_nd(const Call& call);

inline constexpr Facts kNllLossNd{
    .family = &kComposite,
    .name = "nll_loss_nd",
    .params =
        "Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
        "ignore_index=-100",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&nll_loss_nd},
};

void cross_entropy_loss(const Call& call);

inline constexpr Facts kCrossEntropyLoss{
    .family = &kComposite,
    .name = "cross_entropy_loss",
    .params =
        "Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
        "ignore_index=-100, float label_smoothing=0.0",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&cross_entropy_loss},
};

}  // namespace tenon::kernels::ops
