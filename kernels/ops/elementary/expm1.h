// SPDX-License-Identifier: Apache-2.0
// aten::expm1: e to the power of each element, minus 1.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Expm1 {
  TENON_FUNCTOR T operator()(T x) const { return maths::expm1(x); }
};

inline constexpr Facts kExpm1{
    .family = &kPointwise,
    .name = "expm1",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * (result + 1).conj()",
    .tangent = "self_t * (result + 1)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialExpm1{
    .family = &kSynonym,
    .name = "special_expm1",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls expm1",
    .tangent = "none: calls expm1",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kExpm1,
};

}  // namespace tenon::kernels::ops
