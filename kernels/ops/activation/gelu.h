// SPDX-License-Identifier: Apache-2.0
// aten::gelu: x times the standard normal CDF of x, or its tanh approximation; its gradient.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Return the standard normal CDF and density at x.
template <class T>
TENON_FUNCTOR inline T normal_below(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return maths::float_normal_below(x);
  } else {
    return T(0.5) * (1 + maths::erf(x * T(0.70710678118654752440)));
  }
}
template <class T>
TENON_FUNCTOR inline T normal_density(T x) {
  return T(0.39894228040143267794) * maths::exp(T(-0.5) * x * x);
}
// Constants of the tanh approximation.
inline constexpr double kGeluCube = 0.044715;
inline constexpr double kGeluScale = 0.79788456080286535588;  // sqrt(2 / pi)

template <class T>
struct Gelu {
  TENON_FUNCTOR T operator()(T x) const { return x * normal_below(x); }
};
template <class T>
struct GeluTanh {
  TENON_FUNCTOR T operator()(T x) const {
    const T inner = T(kGeluScale) * (x + T(kGeluCube) * x * x * x);
    return T(0.5) * x * (1 + maths::tanh(inner));
  }
};

inline int gelu_variant(const Args& args) {
  return args.choice(1, "approximate", "none", "tanh") - 1;
}
inline constexpr PointwiseRule kGeluRules[] = {{kFloats}, {kFloats}};

inline constexpr Facts kGelu{
    .family = &kPointwise,
    .name = "gelu",
    .params = "Tensor self, *, str approximate=\"none\"",
    .forms = kAllForms,
    .gradient = "self: gelu_backward(grad, self, approximate=approximate)",
    .tangent = "gelu_backward(self_t, self, approximate=approximate)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats},
                  .exact_outs = true,

                  .variant = &gelu_variant,
                  .rules = kGeluRules,
                  .rule_count = 2},
};

template <class T>
struct GeluBackward {
  TENON_FUNCTOR T operator()(T grad, T x) const {
    return grad * (normal_below(x) + x * normal_density(x));
  }
};
template <class T>
struct GeluTanhBackward {
  TENON_FUNCTOR T operator()(T grad, T x) const {
    const T inner = T(kGeluScale) * (x + T(kGeluCube) * x * x * x);
    const T tanh = maths::tanh(inner);
    const T slope = T(kGeluScale) * (1 + T(3 * kGeluCube) * x * x);
    return grad * T(0.5) * (1 + tanh + x * (1 - tanh * tanh) * slope);
  }
};

inline int gelu_backward_variant(const Args& args) {
  return args.choice(2, "approximate", "none", "tanh") - 1;
}

inline constexpr Facts kGeluBackward{
    .family = &kPointwise,
    .name = "gelu_backward",
    .params = "Tensor grad_output, Tensor self, *, str approximate=\"none\"",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "pointwise",
    .gradient =
        "grad_output: gelu_backward(grad, self, approximate=approximate); self: "
        "gelu_double_backward(grad * grad_output, self, approximate)",
    .tangent =
        "gelu_backward(grad_output_t, self, approximate=approximate) + gelu_double_backward(self_t "
        "* grad_output, self, approximate)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats},
                  .variant = &gelu_backward_variant,
                  .rules = kGeluRules,
                  .rule_count = 2},
};

// The gradient of gelu_backward by self, times `weight`.
void gelu_double_backward(const Call& call);

inline constexpr Facts kGeluDoubleBackward{
    .family = &kComposite,
    .name = "gelu_double_backward",
    .params = "Tensor weight, Tensor self, str approximate",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&gelu_double_backward},
};

}  // namespace tenon::kernels::ops
