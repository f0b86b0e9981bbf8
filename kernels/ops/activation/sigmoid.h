// SPDX-License-Identifier: Apache-2.0
// aten::sigmoid: 1 / (1 + exp(-x)) of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sigmoid {
  TENON_FUNCTOR T operator()(T x) const { return T(1) / (T(1) + maths::exp(-x)); }
};

inline constexpr Facts kSigmoid{
    .family = &kPointwise,
    .name = "sigmoid",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: sigmoid_backward(grad, result)",
    .tangent = "self_t * (1 - result) * result",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialExpit{
    .family = &kSynonym,
    .name = "special_expit",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls sigmoid",
    .tangent = "none: calls sigmoid",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kSigmoid,
};

}  // namespace tenon::kernels::ops
