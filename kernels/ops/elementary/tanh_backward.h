// SPDX-License-Identifier: Apache-2.0
// aten::tanh_backward: the gradient of tanh, from its result.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct TanhBackward {
  TENON_FUNCTOR T operator()(T grad, T output) const {
    return grad * maths::conj(T(1) - output * output);
  }
};

inline constexpr Facts kTanhBackward{
    .family = &kPointwise,
    .name = "tanh_backward",
    .params = "Tensor grad_output, Tensor output",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "pointwise",
    .gradient =
        "grad_output: tanh_backward(grad, output.conj()); "
        "output: grad.conj() * (-2 * output.conj() * grad_output)",
    .tangent =
        "tanh_backward(grad_output_t, output) - 2 * grad_output * (output * output_t).conj()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}},
};

}  // namespace tenon::kernels::ops
