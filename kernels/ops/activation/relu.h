// SPDX-License-Identifier: Apache-2.0
// aten::relu: max(x, 0) of each element; NaN is unchanged.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Relu {
  TENON_FUNCTOR T operator()(T x) const { return x < T(0) ? T(0) : x; }
};

inline constexpr Facts kRelu{
    .family = &kPointwise,
    .name = "relu",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: threshold_backward(grad, result, 0)",
    .tangent = "threshold_backward(self_t, result, 0)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kOrderedUnsigned}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
