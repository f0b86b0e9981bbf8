// SPDX-License-Identifier: Apache-2.0
// aten::_ctc_loss: the negative log-likelihood that frames spell targets, after joining repeats and
// removing blanks, by A. Graves et al., "Connectionist Temporal Classification", ICML 2006;
// aten::ctc_loss, which reduces the losses of a batch.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void ctc_losses_meta(const Call& call);

inline constexpr Facts kInnerCtcLoss{
    .family = &kRoutine,
    .name = "_ctc_loss",
    .params =
        "Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, "
        "bool zero_infinity=False",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out0, out1",
    .tags = "dynamic_output_shape",
    .gradient =
        "log_probs: _ctc_loss_backward(grads[0], log_probs, targets, input_lengths, "
        "target_lengths, result0, result1, blank, zero_infinity)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&ctc_losses_meta},
};

void ctc_losses_by_tensors(const Call& call);

inline constexpr Facts kInnerCtcLossTensor{
    .family = &kComposite,
    .name = "_ctc_loss.Tensor",
    .params =
        "Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
        "int blank=0, bool zero_infinity=False",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .outs = "out0, out1",
    .tags = "dynamic_output_shape",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&ctc_losses_by_tensors},
};

void ctc_losses_backward_meta(const Call& call);

// As in PyTorch, assumes that log_probs are a log_softmax, and is the gradient by its input.
inline constexpr Facts kInnerCtcLossBackward{
    .family = &kRoutine,
    .name = "_ctc_loss_backward",
    .params =
        "Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, "
        "int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, "
        "bool zero_infinity=False",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "grad: (grad * _ctc_loss_backward(ones_like(neg_log_likelihood), log_probs, targets, "
        "input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, "
        "zero_infinity)).sum([0, 2])",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&ctc_losses_backward_meta},
};

void ctc_losses_backward_by_tensors(const Call& call);

inline constexpr Facts kInnerCtcLossBackwardTensor{
    .family = &kComposite,
    .name = "_ctc_loss_backward.Tensor",
    .params =
        "Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, "
        "Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, "
        "bool zero_infinity=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&ctc_losses_backward_by_tensors},
};

void ctc_loss(const Call& call);

inline constexpr Facts kCtcLossIntList{
    .family = &kComposite,
    .name = "ctc_loss.IntList",
    .params =
        "Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, "
        "int reduction=1, bool zero_infinity=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&ctc_loss},
};

void ctc_loss_by_tensors(const Call& call);

inline constexpr Facts kCtcLossTensor{
    .family = &kComposite,
    .name = "ctc_loss.Tensor",
    .params =
        "Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
        "int blank=0, int reduction=1, bool zero_infinity=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&ctc_loss_by_tensors},
};

// Shared by calls and their gradients: frames of shape (time, batch, labels), and targets either
// concatenated or as rows.
struct CtcProblem {
  tenon_tensor_info log_probs;
  tenon_tensor_info targets;
  Sizes input_lengths;
  Sizes target_lengths;
  int64_t blank;
  int64_t longest;  // length of the longest target
  bool zero_infinity;

  int64_t times() const { return log_probs.sizes[0]; }
  int64_t batch() const { return log_probs.sizes[1]; }
  int64_t labels() const { return log_probs.sizes[2]; }
  int64_t states() const { return 2 * longest + 1; }
};
// Checks the arguments of a call; `first` is the position of log_probs.
CtcProblem ctc_problem_of(const Call& call, int first);
struct CtcLosses {
  Tensor losses;
  Tensor log_alpha;
};
CtcLosses ctc_losses_for(const Call& call, const CtcProblem& problem);
Tensor ctc_gradient_for(const Call& call, const CtcProblem& problem);

}  // namespace tenon::kernels::ops
