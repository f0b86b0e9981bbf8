// SPDX-License-Identifier: Apache-2.0
// aten::multi_margin_loss and aten::multilabel_margin_loss: hinge losses of the scores of wrong
// classes relative to the true class or classes.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void multi_margin_loss(const Call& call);

inline constexpr Facts kMultiMarginLoss{
    .family = &kComposite,
    .name = "multi_margin_loss",
    .params =
        "Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, "
        "int reduction=1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&multi_margin_loss},
};

void multilabel_margin_loss(const Call& call);

inline constexpr Facts kMultilabelMarginLoss{
    .family = &kComposite,
    .name = "multilabel_margin_loss",
    .params = "Tensor self, Tensor target, int reduction=1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&multilabel_margin_loss},
};

}  // namespace tenon::kernels::ops
