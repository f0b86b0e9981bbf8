// SPDX-License-Identifier: Apache-2.0
// aten::ceil: the smallest integer not below each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Ceil {
  TENON_FUNCTOR T operator()(T x) const { return maths::ceil(x); }
};

inline constexpr Facts kCeil{
    .family = &kPointwise,
    .name = "ceil",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kWideUnsigned}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
