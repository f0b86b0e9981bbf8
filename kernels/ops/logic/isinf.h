// SPDX-License-Identifier: Apache-2.0
// aten::isinf: whether elements are infinite; for complex ones, whether a part is.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct IsInf {
  TENON_FUNCTOR bool operator()(T x) const {
    if constexpr (is_complex_element<T>) {
      return is_infinite(x.re) || is_infinite(x.im);
    } else {
      return is_infinite(x);
    }
  }

 private:
  template <class R>
  TENON_FUNCTOR static bool is_infinite(R x) {
    if constexpr (std::is_integral_v<R>) {
      return false;
    } else {
      return maths::abs(x) == R(__builtin_inf());
    }
  }
};

inline constexpr Facts kIsInf{
    .family = &kPointwise,
    .name = "isinf",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes, Promote::Common, Gives::Bool}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
