// SPDX-License-Identifier: Apache-2.0
// aten::tanh: the hyperbolic tangent of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Tanh {
  TENON_FUNCTOR T operator()(T x) const { return maths::tanh(x); }
};

inline constexpr Facts kTanh{
    .family = &kPointwise,
    .name = "tanh",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: tanh_backward(grad, result)",
    .tangent = "self_t * (1 - result * result)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
