// SPDX-License-Identifier: Apache-2.0
// aten::erf: the error function of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Erf {
  TENON_FUNCTOR T operator()(T x) const { return maths::erf(x); }
};

inline constexpr Facts kErf{
    .family = &kPointwise,
    .name = "erf",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * 1.1283791670955126 * (-self * self).exp()",
    .tangent = "self_t * 1.1283791670955126 * (-self * self).exp()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialErf{
    .family = &kSynonym,
    .name = "special_erf",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls erf",
    .tangent = "none: calls erf",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kErf,
};

}  // namespace tenon::kernels::ops
