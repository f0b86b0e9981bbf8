// SPDX-License-Identifier: Apache-2.0
// aten::nextafter: the next number that a dtype has, towards another.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths.h"

namespace tenon::kernels::ops {

// float16 and bfloat16 have next numbers of their own, which are not those of float.
template <class T>
struct NextAfter {
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (sizeof(T) == 4) {
      return TENON_MATHS(nextafterf)(x, y);
    } else {
      return TENON_MATHS(nextafter)(x, y);
    }
  }
};

inline constexpr Facts kNextafter{
    .family = &kPointwise,
    .name = "nextafter",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {dtypes(TENON_DTYPE_F32, TENON_DTYPE_F64)}},
};

}  // namespace tenon::kernels::ops
