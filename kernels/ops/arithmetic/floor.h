// SPDX-License-Identifier: Apache-2.0
// aten::floor: the largest integer not above each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Floor {
  TENON_FUNCTOR T operator()(T x) const { return maths::floor(x); }
};

inline constexpr Facts kFloor{
    .family = &kPointwise,
    .name = "floor",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kReals | kWideUnsigned}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
