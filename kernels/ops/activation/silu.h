// SPDX-License-Identifier: Apache-2.0
// aten::silu: x * sigmoid(x) of each element; its gradient.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Silu {
  TENON_FUNCTOR T operator()(T x) const { return x / (T(1) + maths::exp(-x)); }
};

inline constexpr Facts kSilu{
    .family = &kPointwise,
    .name = "silu",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: silu_backward(grad, self)",
    .tangent = "silu_backward(self_t, self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}, .exact_outs = true},
};

template <class T>
struct SiluBackward {
  TENON_FUNCTOR T operator()(T grad, T x) const {
    const T sigmoid = T(1) / (T(1) + maths::exp(-x));
    return grad * sigmoid * (T(1) + x * (T(1) - sigmoid));
  }
};

inline constexpr Facts kSiluBackward{
    .family = &kPointwise,
    .name = "silu_backward",
    .params = "Tensor grad_output, Tensor self",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "pointwise",
    .gradient =
        "grad_output: silu_backward(grad, self); self: sigmoid_backward(grad * grad_output, "
        "sigmoid(self)) * (2 + self * (1 - 2 * sigmoid(self)))",
    .tangent =
        "silu_backward(grad_output_t, self) + sigmoid_backward(self_t * grad_output, "
        "sigmoid(self)) * (2 + self * (1 - 2 * sigmoid(self)))",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
