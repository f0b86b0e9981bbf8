// SPDX-License-Identifier: Apache-2.0
// aten::elu: scale * x for positive x, otherwise scale * alpha * (exp(x) - 1); aten::celu and
// aten::selu: elu with other constants.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// The constants of a call; `below` is the product of those for the negative part.
template <class T>
struct EluNumbers {
  T below, scale, input_scale;
  static EluNumbers make(const Args& args, int first) {
    const T scale = args.factor<T>(first + 1, "scale");
    return {args.factor<T>(first, "alpha") * scale, scale,
            args.factor<T>(first + 2, "input_scale")};
  }
};

template <class T>
struct Elu {
  EluNumbers<T> by;
  static Elu make(const Args& args) { return {EluNumbers<T>::make(args, 1)}; }
  TENON_FUNCTOR T operator()(T x) const {
    return x <= 0 ? maths::expm1(x * by.input_scale) * by.below : x * by.scale;
  }
};

inline constexpr Facts kElu{
    .family = &kPointwise,
    .name = "elu",
    .params = "Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1",
    .forms = kAllForms,
    .gradient = "self: elu_slope(grad, self, alpha, scale, input_scale)",
    .tangent = "elu_slope(self_t, self, alpha, scale, input_scale)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

template <class T>
struct EluSlope {
  EluNumbers<T> by;
  static EluSlope make(const Args& args) { return {EluNumbers<T>::make(args, 2)}; }
  TENON_FUNCTOR T operator()(T grad, T x) const {
    const T slope = x <= 0 ? by.input_scale * by.below * maths::exp(x * by.input_scale) : by.scale;
    return grad * slope;
  }
};

// The gradient of elu.

inline constexpr Facts kEluSlope{
    .family = &kPointwise,
    .name = "elu_slope",
    .params = "Tensor grad_output, Tensor self, Scalar alpha, Scalar scale, Scalar input_scale",
    .tags = "pointwise",
    .gradient =
        "grad_output: elu_slope(grad, self, alpha, scale, input_scale); self: elu_slope(grad * "
        "grad_output, self, alpha, scale, input_scale) * input_scale * le(self, 0)",
    .tangent =
        "elu_slope(grad_output_t, self, alpha, scale, input_scale) + elu_slope(self_t * "
        "grad_output, self, alpha, scale, input_scale) * input_scale * le(self, 0)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

void celu(const Call& call);

inline constexpr Facts kCelu{
    .family = &kComposite,
    .name = "celu",
    .params = "Tensor self, Scalar alpha=1.",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&celu, /*writes_out=*/true},
};

void selu(const Call& call);

inline constexpr Facts kSelu{
    .family = &kComposite,
    .name = "selu",
    .params = "Tensor self",
    .forms = kFunctional | kInPlace,
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&selu, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
