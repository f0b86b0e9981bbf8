// SPDX-License-Identifier: Apache-2.0
// aten::binary_cross_entropy and aten::binary_cross_entropy_with_logits: the negative
// log-likelihood of targets under probabilities, or under the sigmoid of logits.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void binary_cross_entropy(const Call& call);

inline constexpr Facts kBinaryCrossEntropy{
    .family = &kExplicit,
    .name = "binary_cross_entropy",
    .params = "Tensor self, Tensor target, Tensor? weight=None, int reduction=1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: binary_cross_entropy_backward(grad, self, target, weight, reduction); "
        "target: binary_cross_entropy_target_backward(grad, self, target, weight, reduction); "
        "weight: binary_cross_entropy_weight_backward(grad, self, target, reduction)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::Banned,
    .cast_on_cpu = Cast::Fp32,
    .cast_advice = "use binary_cross_entropy_with_logits, of what a sigmoid would be of",
    .routine = {&binary_cross_entropy},
};

void binary_cross_entropy_backward(const Call& call);

inline constexpr Facts kBinaryCrossEntropyBackward{
    .family = &kComposite,
    .name = "binary_cross_entropy_backward",
    .params =
        "Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int "
        "reduction=1",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&binary_cross_entropy_backward},
};

void binary_cross_entropy_target_backward(const Call& call);

inline constexpr Facts kBinaryCrossEntropyTargetBackward{
    .family = &kComposite,
    .name = "binary_cross_entropy_target_backward",
    .params =
        "Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int "
        "reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&binary_cross_entropy_target_backward},
};

void binary_cross_entropy_weight_backward(const Call& call);

inline constexpr Facts kBinaryCrossEntropyWeightBackward{
    .family = &kComposite,
    .name = "binary_cross_entropy_weight_backward",
    .params = "Tensor grad_output, Tensor self, Tensor target, int reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&binary_cross_entropy_weight_backward},
};

void binary_cross_entropy_with_logits(const Call& call);

inline constexpr Facts kBinaryCrossEntropyWithLogits{
    .family = &kComposite,
    .name = "binary_cross_entropy_with_logits",
    .params =
        "Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int "
        "reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&binary_cross_entropy_with_logits},
};

}  // namespace tenon::kernels::ops
