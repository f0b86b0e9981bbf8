// SPDX-License-Identifier: Apache-2.0
// aten::sigmoid_backward: the gradient of sigmoid, from its result.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct SigmoidBackward {
  TENON_FUNCTOR T operator()(T grad, T output) const {
    return grad * maths::conj((T(1) - output) * output);
  }
};

inline constexpr Facts kSigmoidBackward{
    .family = &kPointwise,
    .name = "sigmoid_backward",
    .params = "Tensor grad_output, Tensor output",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "pointwise",
    .gradient =
        "grad_output: sigmoid_backward(grad, output.conj()); "
        "output: grad.conj() * grad_output * (1 - 2 * output.conj())",
    .tangent =
        "sigmoid_backward(grad_output_t, output) + grad_output * ((1 - 2 * output) * "
        "output_t).conj()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}},
};

}  // namespace tenon::kernels::ops
