// SPDX-License-Identifier: Apache-2.0
// aten::log1p: the natural logarithm of 1 plus each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Log1p {
  TENON_FUNCTOR T operator()(T x) const { return maths::log1p(x); }
};

inline constexpr Facts kLog1p{
    .family = &kPointwise,
    .name = "log1p",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / (self + 1).conj()",
    .tangent = "self_t / (self + 1)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialLog1p{
    .family = &kSynonym,
    .name = "special_log1p",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls log1p",
    .tangent = "none: calls log1p",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kLog1p,
};

}  // namespace tenon::kernels::ops
