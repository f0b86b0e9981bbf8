// SPDX-License-Identifier: Apache-2.0
// aten::_fused_adam_ and aten::_fused_adamw_: steps of Adam and AdamW for lists of parameters, each
// in one pass over memory.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

// The hyperparameters of a call.
struct AdamOptions {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize;
};
// Refuses lists of different lengths, and tensors of different sizes, dtypes or devices.
AdamOptions adam_options_of(const Call& call);

void fused_adam_meta(const Call& call);

inline constexpr Facts kFusedAdam{
    .family = &kRoutine,
    .name = "_fused_adam_",
    .params =
        "Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
        "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float "
        "beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? "
        "grad_scale=None, Tensor? found_inf=None",
    .returns = "()",
    .tags = "",
    .gradient = "none: a step writes parameters in no_grad mode",
    .tangent = "none: a step writes parameters in no_grad mode",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fused_adam_meta},
};

void fused_adam_numbers(const Call& call);

inline constexpr Facts kFusedAdamTensorLr{
    .family = &kExplicit,
    .name = "_fused_adam_.tensor_lr",
    .params =
        "Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
        "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float "
        "beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? "
        "grad_scale=None, Tensor? found_inf=None",
    .returns = "()",
    .tags = "",
    .gradient = "none: a step writes parameters in no_grad mode",
    .tangent = "none: a step writes parameters in no_grad mode",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fused_adam_numbers},
};

inline constexpr Facts kFusedAdamw{
    .family = &kRoutine,
    .name = "_fused_adamw_",
    .params =
        "Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
        "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float "
        "beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? "
        "grad_scale=None, Tensor? found_inf=None",
    .returns = "()",
    .tags = "",
    .gradient = "none: a step writes parameters in no_grad mode",
    .tangent = "none: a step writes parameters in no_grad mode",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fused_adam_meta},
};

inline constexpr Facts kFusedAdamwTensorLr{
    .family = &kExplicit,
    .name = "_fused_adamw_.tensor_lr",
    .params =
        "Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
        "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float "
        "beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? "
        "grad_scale=None, Tensor? found_inf=None",
    .returns = "()",
    .tags = "",
    .gradient = "none: a step writes parameters in no_grad mode",
    .tangent = "none: a step writes parameters in no_grad mode",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fused_adam_numbers},
};

}  // namespace tenon::kernels::ops
