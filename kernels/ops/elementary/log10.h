// SPDX-License-Identifier: Apache-2.0
// aten::log10: the logarithm of each element to base 10.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Log10 {
  TENON_FUNCTOR T operator()(T x) const { return maths::log10(x); }
};

inline constexpr Facts kLog10{
    .family = &kPointwise,
    .name = "log10",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / (self.conj() * 2.302585092994046)",
    .tangent = "self_t / (self * 2.302585092994046)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
