// SPDX-License-Identifier: Apache-2.0
// aten::_fused_adam_ and aten::_fused_adamw_ on the CPU.
#include "kernels/ops/optimizers/fused_adam.h"

#include <cmath>

#include "kernels/cpu/optimizers/fused_step.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// The step of one element. kLargest is AMSGrad, kDecoupled is AdamW's weight decay, and kScaled
// means that gradients are divided by a scale first and written back.
template <class T, bool kLargest, bool kDecoupled, bool kScaled>
struct AdamStep {
  using C = Compute<T>;
  T* parameter;
  T* grad;
  T* mean;
  T* square;
  T* largest;
  C sign, scale, decay, rest1, beta2, rest2, eps, size, by_root;

  TENON_FUNCTOR void at(int64_t i) const {
    C p = static_cast<C>(parameter[i]);
    C g = static_cast<C>(grad[i]);
    if constexpr (kScaled) {
      g = g / scale;
      grad[i] = static_cast<T>(g);
    }
    g = g * sign;
    if constexpr (kDecoupled) {
      p = p * decay;
    } else {
      g = g + p * decay;
    }
    const C m = static_cast<C>(mean[i]) + rest1 * (g - static_cast<C>(mean[i]));
    const C v = beta2 * static_cast<C>(square[i]) + rest2 * g * g;
    mean[i] = static_cast<T>(m);
    square[i] = static_cast<T>(v);
    C most = v;
    if constexpr (kLargest) {
      const C before = static_cast<C>(largest[i]);
      most = before > v || before != before ? before : v;
      largest[i] = static_cast<T>(most);
    }
    parameter[i] = static_cast<T>(p - size * m / (maths::sqrt(most) * by_root + eps));
  }
};

struct StepTensors {
  StepTensor parameter, grad, mean, square;
  std::optional<StepTensor> largest;
};

template <class T, bool kLargest, bool kDecoupled, bool kScaled>
void run_one(const ops::AdamOptions& options, StepTensors& at, double taken, double scale,
             int64_t count) {
  using C = Compute<T>;
  const double decay = kDecoupled ? 1 - options.lr * options.weight_decay : options.weight_decay;
  const double size = options.lr / (1 - std::pow(options.beta1, taken));
  const double root = std::sqrt(1 - std::pow(options.beta2, taken));
  const AdamStep<T, kLargest, kDecoupled, kScaled> step{
      at.parameter.data<T>(),
      at.grad.data<T>(),
      at.mean.data<T>(),
      at.square.data<T>(),
      at.largest ? at.largest->data<T>() : nullptr,
      static_cast<C>(options.maximize ? -1 : 1),
      static_cast<C>(scale),
      static_cast<C>(decay),
      static_cast<C>(1 - options.beta1),
      static_cast<C>(options.beta2),
      static_cast<C>(1 - options.beta2),
      static_cast<C>(options.eps),
      static_cast<C>(size),
      static_cast<C>(1 / root)};
  run_step(step, count);
}

template <class T, bool kDecoupled>
void run_any(const ops::AdamOptions& options, StepTensors& at, double taken, double scale,
             int64_t count) {
  if (scale != 1) {
    if (at.largest) return run_one<T, true, kDecoupled, true>(options, at, taken, scale, count);
    return run_one<T, false, kDecoupled, true>(options, at, taken, scale, count);
  }
  if (at.largest) return run_one<T, true, kDecoupled, false>(options, at, taken, scale, count);
  run_one<T, false, kDecoupled, false>(options, at, taken, scale, count);
}

template <bool kDecoupled>
void fused_adam(const Call& call) {
  const ops::AdamOptions options = ops::adam_options_of(call);
  if (is_skipped(call, 14)) return;
  const double scale = grad_scale_of(call, 13);
  const auto parameters = call.get<TensorList>(0), steps = call.get<TensorList>(5);
  for (int64_t k = 0; k < parameters.size(); ++k) {
    const Tensor parameter = *parameters[k];
    const auto block = [&](int list) {
      const Tensor tensor = *call.get<TensorList>(list)[k];
      check_not_read_only(call.op(), call.form.names[list], tensor.info());
      return StepTensor(tensor, parameter);
    };
    StepTensors at{block(0), block(1), block(2), block(3), std::nullopt};
    if (options.amsgrad) at.largest.emplace(block(4));
    const double taken = number_in(*steps[k]);
    visit(call.op(), "self", parameter.dtype(), FloatTypes(), [&]<class T>(Element<T>) {
      run_any<T, kDecoupled>(options, at, taken, scale, parameter.numel());
    });
    for (StepTensor* each : {&at.parameter, &at.mean, &at.square}) each->finish();
    if (scale != 1) at.grad.finish();
    if (at.largest) at.largest->finish();
  }
}

}  // namespace

Operator operator_kFusedAdam() { return routine_of<ops::kFusedAdam, &fused_adam<false>>(); }
Operator operator_kFusedAdamw() { return routine_of<ops::kFusedAdamw, &fused_adam<true>>(); }

}  // namespace tenon::kernels::cpu
