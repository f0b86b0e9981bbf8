// SPDX-License-Identifier: Apache-2.0
// aten::leaky_relu: x for positive x, otherwise a slope times x; its gradient.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct LeakyRelu {
  T slope;
  static LeakyRelu make(const Args& args) { return {args.factor<T>(1, "negative_slope")}; }
  TENON_FUNCTOR T operator()(T x) const { return x > 0 ? x : x * slope; }
};

inline constexpr Facts kLeakyRelu{
    .family = &kPointwise,
    .name = "leaky_relu",
    .params = "Tensor self, Scalar negative_slope=0.01",
    .forms = kAllForms,
    .gradient = "self: leaky_relu_backward(grad, self, negative_slope, False)",
    .tangent = "leaky_relu_backward(self_t, self, negative_slope, False)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

template <class T>
struct LeakyReluBackward {
  T slope;
  static LeakyReluBackward make(const Args& args) { return {args.factor<T>(2, "negative_slope")}; }
  TENON_FUNCTOR T operator()(T grad, T x) const { return x > 0 ? grad : grad * slope; }
};

inline constexpr Facts kLeakyReluBackward{
    .family = &kPointwise,
    .name = "leaky_relu_backward",
    .params = "Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: leaky_relu_backward(grad, self, negative_slope, self_is_result); self: "
        "zeros_like(grad)",
    .tangent = "leaky_relu_backward(grad_output_t, self, negative_slope, self_is_result)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
