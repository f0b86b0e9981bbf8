// SPDX-License-Identifier: Apache-2.0
// aten::_fused_sgd_: steps of gradient descent for a list of parameters, each in one pass over
// memory.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

struct SgdOptions {
  double weight_decay, momentum, lr, dampening;
  bool nesterov, maximize, is_first_step;
};
// Refuses lists of different lengths, and tensors of different sizes, dtypes or devices. Buffers
// are required if there is momentum.
SgdOptions sgd_options_of(const Call& call);

void fused_sgd_meta(const Call& call);

inline constexpr Facts kFusedSgd{
    .family = &kRoutine,
    .name = "_fused_sgd_",
    .params =
        "Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float "
        "weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, "
        "bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None",
    .returns = "()",
    .tags = "",
    .gradient = "none: a step writes parameters in no_grad mode",
    .tangent = "none: a step writes parameters in no_grad mode",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fused_sgd_meta},
};

void fused_sgd_numbers(const Call& call);

inline constexpr Facts kFusedSgdTensorLr{
    .family = &kExplicit,
    .name = "_fused_sgd_.tensor_lr",
    .params =
        "Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float "
        "weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, "
        "bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None",
    .returns = "()",
    .tags = "",
    .gradient = "none: a step writes parameters in no_grad mode",
    .tangent = "none: a step writes parameters in no_grad mode",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fused_sgd_numbers},
};

}  // namespace tenon::kernels::ops
