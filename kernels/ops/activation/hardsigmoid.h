// SPDX-License-Identifier: Apache-2.0
// aten::hardsigmoid: (x + 3) / 6 clamped to [0, 1]; aten::hardswish: x times that; their gradients.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Hardsigmoid {
  TENON_FUNCTOR T operator()(T x) const {
    const T six = x + 3;
    return (six < 0 ? T(0) : six > 6 ? T(6) : six) / 6;
  }
};

inline constexpr Facts kHardsigmoid{
    .family = &kPointwise,
    .name = "hardsigmoid",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: hardsigmoid_backward(grad, self)",
    .tangent = "hardsigmoid_backward(self_t, self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

template <class T>
struct HardsigmoidBackward {
  TENON_FUNCTOR T operator()(T grad, T x) const { return x > -3 && x < 3 ? grad / 6 : T(0); }
};

inline constexpr Facts kHardsigmoidBackward{
    .family = &kPointwise,
    .name = "hardsigmoid_backward",
    .params = "Tensor grad_output, Tensor self",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: hardsigmoid_backward(grad, self); self: zeros_like(grad)",
    .tangent = "hardsigmoid_backward(grad_output_t, self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

template <class T>
struct Hardswish {
  TENON_FUNCTOR T operator()(T x) const {
    const T six = x + 3;
    return x * (six < 0 ? T(0) : six > 6 ? T(6) : six) / 6;
  }
};

inline constexpr Facts kHardswish{
    .family = &kPointwise,
    .name = "hardswish",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "self: hardswish_backward(grad, self)",
    .tangent = "hardswish_backward(self_t, self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

template <class T>
struct HardswishBackward {
  TENON_FUNCTOR T operator()(T grad, T x) const {
    return x <= -3 ? T(0) : x < 3 ? grad * (x / 3 + T(0.5)) : grad;
  }
};

inline constexpr Facts kHardswishBackward{
    .family = &kPointwise,
    .name = "hardswish_backward",
    .params = "Tensor grad_output, Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "grad_output: hardswish_backward(grad, self); self: grad * grad_output * "
        "logical_and(gt(self, -3), lt(self, 3)) / 3",
    .tangent =
        "hardswish_backward(grad_output_t, self) + self_t * grad_output * logical_and(gt(self, "
        "-3), lt(self, 3)) / 3",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
