// SPDX-License-Identifier: Apache-2.0
// aten::log2: the logarithm of each element to base 2.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Log2 {
  TENON_FUNCTOR T operator()(T x) const { return maths::log2(x); }
};

inline constexpr Facts kLog2{
    .family = &kPointwise,
    .name = "log2",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / (self.conj() * 0.6931471805599453)",
    .tangent = "self_t / (self * 0.6931471805599453)",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
