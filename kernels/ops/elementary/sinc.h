// SPDX-License-Identifier: Apache-2.0
// aten::sinc: sin(pi x) / (pi x), and 1 at 0.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Sinc {
  TENON_FUNCTOR T operator()(T x) const {
    if (x == T(0)) return T(1);
    const T product = T(3.14159265358979323846) * x;
    return maths::sin(product) / product;
  }
};

inline constexpr Facts kSinc{
    .family = &kPointwise,
    .name = "sinc",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: sinc_backward(grad, self)",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialSinc{
    .family = &kSynonym,
    .name = "special_sinc",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls sinc",
    .tangent = "none: calls sinc",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kSinc,
};

}  // namespace tenon::kernels::ops
