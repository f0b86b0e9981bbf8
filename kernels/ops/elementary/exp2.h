// SPDX-License-Identifier: Apache-2.0
// aten::exp2: 2 to the power of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Exp2 {
  TENON_FUNCTOR T operator()(T x) const { return maths::exp2(x); }
};

inline constexpr Facts kExp2{
    .family = &kPointwise,
    .name = "exp2",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: grad * 0.6931471805599453 * result.conj()",
    .tangent = "self_t * 0.6931471805599453 * result",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialExp2{
    .family = &kSynonym,
    .name = "special_exp2",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls exp2",
    .tangent = "none: calls exp2",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kExp2,
};

}  // namespace tenon::kernels::ops
