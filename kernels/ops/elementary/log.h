// SPDX-License-Identifier: Apache-2.0
// aten::log: the natural logarithm of each element.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Log {
  TENON_FUNCTOR T operator()(T x) const { return maths::log(x); }
  TENON_FUNCTOR T near(T x) const requires std::is_floating_point_v<T> {
    return maths::near_log(x);
  }
  TENON_FUNCTOR static auto far(T x) { return maths::far_for_log(x); }
};

inline constexpr Facts kLog{
    .family = &kPointwise,
    .name = "log",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad / self.conj()",
    .tangent = "self_t / self",
    .batching = Batching::Pointwise,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex, Promote::CommonFloat}},
};

}  // namespace tenon::kernels::ops
