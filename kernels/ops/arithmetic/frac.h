// SPDX-License-Identifier: Apache-2.0
// aten::frac: the fractional part of each element, with its sign.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Frac {
  TENON_FUNCTOR T operator()(T x) const { return x - maths::trunc(x); }
};

inline constexpr Facts kFrac{
    .family = &kPointwise,
    .name = "frac",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad",
    .tangent = "self_t",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
