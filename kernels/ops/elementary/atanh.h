// SPDX-License-Identifier: Apache-2.0
// aten::atanh: the inverse hyperbolic tangent of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Atanh {
  TENON_FUNCTOR T operator()(T x) const { return maths::atanh(x); }
};

inline constexpr Facts kAtanh{
    .family = &kPointwise,
    .name = "atanh",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / (1 - self * self).conj()",
    .tangent = "self_t / (1 - self * self)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kArctanh{
    .family = &kSynonym,
    .name = "arctanh",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls atanh",
    .tangent = "none: calls atanh",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAtanh,
};

}  // namespace tenon::kernels::ops
