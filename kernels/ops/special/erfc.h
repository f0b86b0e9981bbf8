// SPDX-License-Identifier: Apache-2.0
// aten::erfc: 1 minus the error function of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Erfc {
  TENON_FUNCTOR T operator()(T x) const { return maths::erfc(x); }
};

inline constexpr Facts kErfc{
    .family = &kPointwise,
    .name = "erfc",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: -grad * 1.1283791670955126 * (-self * self).exp()",
    .tangent = "-self_t * 1.1283791670955126 * (-self * self).exp()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialErfc{
    .family = &kSynonym,
    .name = "special_erfc",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls erfc",
    .tangent = "none: calls erfc",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kErfc,
};

}  // namespace tenon::kernels::ops
