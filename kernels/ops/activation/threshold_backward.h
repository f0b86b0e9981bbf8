// SPDX-License-Identifier: Apache-2.0
// aten::threshold_backward: the gradient if self is above the threshold or NaN, otherwise 0.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct ThresholdBackward {
  T threshold;
  static ThresholdBackward make(const Args& args) { return {args.number<T>(2, "threshold")}; }
  TENON_FUNCTOR T operator()(T grad, T self) const { return self <= threshold ? T(0) : grad; }
};

inline constexpr Facts kThresholdBackward{
    .family = &kPointwise,
    .name = "threshold_backward",
    .params = "Tensor grad_output, Tensor self, Scalar threshold",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "pointwise",
    .gradient = "grad_output: threshold_backward(grad, self, threshold); self: zeros_like(grad)",
    .tangent = "threshold_backward(grad_output_t, self, threshold)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals}},
};

}  // namespace tenon::kernels::ops
