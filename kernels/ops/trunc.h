// SPDX-License-Identifier: Apache-2.0
// aten::trunc: each element without its fraction.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Trunc {
  TENON_FUNCTOR T operator()(T x) const { return maths::trunc(x); }
};

inline constexpr Facts kTrunc{
    .family = &kPointwise,
    .name = "trunc",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals}},
};

}  // namespace tenon::kernels::ops
