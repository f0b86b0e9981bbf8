// SPDX-License-Identifier: Apache-2.0
// aten::erfinv: the inverse of the error function.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Erfinv {
  TENON_FUNCTOR T operator()(T x) const { return maths::erfinv(x); }
};

inline constexpr Facts kErfinv{
    .family = &kPointwise,
    .name = "erfinv",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "self: 0.8862269254527580 * (result * result).exp() * grad",
    .tangent = "0.8862269254527580 * (result * result).exp() * self_t",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats, Promote::CommonFloat}},
};

inline constexpr Facts kSpecialErfinv{
    .family = &kSynonym,
    .name = "special_erfinv",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls erfinv",
    .tangent = "none: calls erfinv",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kErfinv,
};

}  // namespace tenon::kernels::ops
