// SPDX-License-Identifier: Apache-2.0
// aten::nll_loss_nd, aten::nll_loss, aten::nll_loss2d and aten::cross_entropy_loss: the negative
// log-likelihood of the true classes.
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

void nll_loss(const Call& call);

// For rows of classes, or a single one.
inline constexpr Facts kNllLoss{
    .family = &kComposite,
    .name = "nll_loss",
    .params =
        "Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
        "ignore_index=-100",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&nll_loss},
};

void nll_loss2d(const Call& call);

// For images whose pixels have classes.
inline constexpr Facts kNllLoss2d{
    .family = &kComposite,
    .name = "nll_loss2d",
    .params =
        "Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt "
        "ignore_index=-100",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&nll_loss2d},
};

void nll_loss_forward(const Call& call);

inline constexpr Facts kNllLossForward{
    .family = &kExplicit,
    .name = "nll_loss_forward",
    .params = "Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index",
    .returns = "(Tensor output, Tensor total_weight)",
    .tags = "",
    .gradient =
        "self: nll_loss_backward(grad, self, target, weight, reduction, ignore_index, "
        "total_weight)",
    .tangent = "output: nll_loss(self_t, target, weight, reduction, ignore_index)",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&nll_loss_forward},
};

void nll_loss2d_forward(const Call& call);

inline constexpr Facts kNllLoss2dForward{
    .family = &kExplicit,
    .name = "nll_loss2d_forward",
    .params = "Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index",
    .returns = "(Tensor output, Tensor total_weight)",
    .tags = "",
    .gradient =
        "self: nll_loss2d_backward(grad, self, target, weight, reduction, ignore_index, "
        "total_weight)",
    .tangent = "output: nll_loss2d(self_t, target, weight, reduction, ignore_index)",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&nll_loss2d_forward},
};

void nll_loss_backward(const Call& call);

// The gradient of self, given the sum of the weights of all targets.
inline constexpr Facts kNllLossBackward{
    .family = &kComposite,
    .name = "nll_loss_backward",
    .params =
        "Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, "
        "SymInt ignore_index, Tensor total_weight",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&nll_loss_backward},
};
inline constexpr Facts kNllLoss2dBackward{
    .family = &kComposite,
    .name = "nll_loss2d_backward",
    .params =
        "Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, "
        "SymInt ignore_index, Tensor total_weight",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&nll_loss_backward},
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
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&cross_entropy_loss},
};

}  // namespace tenon::kernels::ops
