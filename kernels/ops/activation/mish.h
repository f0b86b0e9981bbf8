// SPDX-License-Identifier: Apache-2.0
// aten::mish: x * tanh(log(1 + exp(x))) of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Mish {
  TENON_FUNCTOR T operator()(T x) const { return x * maths::tanh(maths::log1p(maths::exp(x))); }
};

inline constexpr Facts kMish{
    .family = &kPointwise,
    .name = "mish",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient =
        "self: grad * (tanh(softplus(self)) + self * sigmoid(self) * (1 - tanh(softplus(self)) * "
        "tanh(softplus(self))))",
    .tangent =
        "self_t * (tanh(softplus(self)) + self * sigmoid(self) * (1 - tanh(softplus(self)) * "
        "tanh(softplus(self))))",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
