// SPDX-License-Identifier: Apache-2.0
// aten::_fused_sgd_ on the CPU.
#include "kernels/ops/optimizers/fused_sgd.h"

#include "kernels/cpu/optimizers/fused_step.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// The step of one element. kScaled means that gradients are divided by a scale first and written
// back.
template <class T, bool kMomentum, bool kScaled>
struct SgdStep {
  using C = Compute<T>;
  T* parameter;
  T* grad;
  T* buffer;
  C sign, scale, decay, momentum, rest, lr;
  bool nesterov;

  TENON_FUNCTOR void at(int64_t i) const {
    const C p = static_cast<C>(parameter[i]);
    C g = static_cast<C>(grad[i]);
    if constexpr (kScaled) {
      g = g / scale;
      grad[i] = static_cast<T>(g);
    }
    g = g * sign + p * decay;
    if constexpr (kMomentum) {
      const C b = momentum * static_cast<C>(buffer[i]) + rest * g;
      buffer[i] = static_cast<T>(b);
      g = nesterov ? g + momentum * b : b;
    }
    parameter[i] = static_cast<T>(p - lr * g);
  }
};

// The first step, which initializes the momentum buffer with the gradient.
template <class T>
struct FirstSgdStep {
  using C = Compute<T>;
  SgdStep<T, false, false> plain;
  T* buffer;
  C scale, momentum;
  bool is_scaled;
  bool nesterov;

  TENON_FUNCTOR void at(int64_t i) const {
    const C p = static_cast<C>(plain.parameter[i]);
    C g = static_cast<C>(plain.grad[i]);
    if (is_scaled) {
      g = g / scale;
      plain.grad[i] = static_cast<T>(g);
    }
    g = g * plain.sign + p * plain.decay;
    buffer[i] = static_cast<T>(g);
    if (nesterov) g = g + momentum * g;
    plain.parameter[i] = static_cast<T>(p - plain.lr * g);
  }
};

template <class T, bool kMomentum, bool kScaled>
SgdStep<T, kMomentum, kScaled> step_of(const ops::SgdOptions& options, T* parameter, T* grad,
                                       T* buffer, double scale) {
  using C = Compute<T>;
  return {parameter,
          grad,
          buffer,
          static_cast<C>(options.maximize ? -1 : 1),
          static_cast<C>(scale),
          static_cast<C>(options.weight_decay),
          static_cast<C>(options.momentum),
          static_cast<C>(1 - options.dampening),
          static_cast<C>(options.lr),
          options.nesterov};
}

template <class T>
void run_one(const ops::SgdOptions& options, T* parameter, T* grad, T* buffer, double scale,
             int64_t count) {
  using C = Compute<T>;
  if (buffer != nullptr && options.is_first_step) {
    const auto plain = step_of<T, false, false>(options, parameter, grad, buffer, scale);
    const FirstSgdStep<T> first{plain,          buffer,     static_cast<C>(scale),
                                plain.momentum, scale != 1, options.nesterov};
    return run_step(first, count);
  }
  if (buffer != nullptr) {
    if (scale != 1) {
      return run_step(step_of<T, true, true>(options, parameter, grad, buffer, scale), count);
    }
    return run_step(step_of<T, true, false>(options, parameter, grad, buffer, scale), count);
  }
  if (scale != 1) {
    return run_step(step_of<T, false, true>(options, parameter, grad, buffer, scale), count);
  }
  run_step(step_of<T, false, false>(options, parameter, grad, buffer, scale), count);
}

void fused_sgd(const Call& call) {
  const ops::SgdOptions options = ops::sgd_options_of(call);
  if (is_skipped(call, 11)) return;
  const double scale = grad_scale_of(call, 10);
  const auto parameters = call.get<TensorList>(0);
  for (int64_t k = 0; k < parameters.size(); ++k) {
    const Tensor parameter = *parameters[k];
    const auto block = [&](int list) {
      const Tensor tensor = *call.get<TensorList>(list)[k];
      check_not_read_only(call.op(), call.form.names[list], tensor.info());
      return StepTensor(tensor, parameter);
    };
    StepTensor own = block(0), grad = block(1);
    std::optional<StepTensor> buffer;
    if (options.momentum != 0) buffer.emplace(block(2));
    visit(call.op(), "self", parameter.dtype(), FloatTypes(), [&]<class T>(Element<T>) {
      run_one<T>(options, own.data<T>(), grad.data<T>(), buffer ? buffer->data<T>() : nullptr,
                 scale, parameter.numel());
    });
    own.finish();
    if (scale != 1) grad.finish();
    if (buffer) buffer->finish();
  }
}

}  // namespace

Operator operator_kFusedSgd() { return routine_of<ops::kFusedSgd, &fused_sgd>(); }

}  // namespace tenon::kernels::cpu
