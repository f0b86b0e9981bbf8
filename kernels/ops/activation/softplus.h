// SPDX-License-Identifier: Apache-2.0
// aten::softplus: log(1 + exp(beta x)) / beta, or x itself above a threshold; its gradient;
// aten::log_sigmoid: -softplus(-x).
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Softplus {
  T beta, threshold;
  static Softplus make(const Args& args) {
    return {args.factor<T>(1, "beta"), args.factor<T>(2, "threshold")};
  }
  TENON_FUNCTOR T operator()(T x) const {
    return x * beta > threshold ? x : maths::log1p(maths::exp(x * beta)) / beta;
  }
};

inline constexpr Facts kSoftplus{
    .family = &kPointwise,
    .name = "softplus",
    .params = "Tensor self, Scalar beta=1, Scalar threshold=20",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient = "self: softplus_backward(grad, self, beta, threshold)",
    .tangent = "softplus_backward(self_t, self, beta, threshold)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

template <class T>
struct SoftplusBackward {
  T beta, threshold;
  static SoftplusBackward make(const Args& args) {
    return {args.factor<T>(2, "beta"), args.factor<T>(3, "threshold")};
  }
  TENON_FUNCTOR T operator()(T grad, T x) const {
    return x * beta > threshold ? grad : grad / (1 + maths::exp(-x * beta));
  }
};

inline constexpr Facts kSoftplusBackward{
    .family = &kPointwise,
    .name = "softplus_backward",
    .params = "Tensor grad_output, Tensor self, Scalar beta, Scalar threshold",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: softplus_backward(grad, self, beta, threshold); self: sigmoid_backward(grad "
        "* grad_output, sigmoid(self * beta)) * beta * le(self * beta, threshold)",
    .tangent =
        "softplus_backward(grad_output_t, self, beta, threshold) + sigmoid_backward(self_t * "
        "grad_output, sigmoid(self * beta)) * beta * le(self * beta, threshold)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

void log_sigmoid(const Call& call);

inline constexpr Facts kLogSigmoid{
    .family = &kComposite,
    .name = "log_sigmoid",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&log_sigmoid},
};

}  // namespace tenon::kernels::ops
