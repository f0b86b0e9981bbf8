// SPDX-License-Identifier: Apache-2.0
// aten::trunc: each element without its fraction.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

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
    .pointwise = {.rule = {kReals | kWideUnsigned}, .exact_outs = true},
};

inline constexpr Facts kFix{
    .family = &kSynonym,
    .name = "fix",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls trunc",
    .tangent = "none: calls trunc",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kTrunc,
};

}  // namespace tenon::kernels::ops
