// SPDX-License-Identifier: Apache-2.0
// aten::sgn: -1, 0 or 1 for each element; x / |x| or 0 for complex ones.
#pragma once

#include "kernels/ops/arithmetic/sign.h"

namespace tenon::kernels::ops {

template <class T>
struct Sgn {
  TENON_FUNCTOR T operator()(T x) const {
    if constexpr (is_complex_element<T>) {
      if (x == T(0)) return T(0);
      const Real<T> size = maths::abs(x);
      return {x.re / size, x.im / size};
    } else {
      return Sign<T>()(x);
    }
  }
};

inline constexpr Facts kSgn{
    .family = &kPointwise,
    .name = "sgn",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "pointwise",
    // Rotating a complex number changes the result, scaling it does not; the gradient of real
    // numbers is 0. Zeros are replaced by 1 to avoid dividing by 0.
    .gradient =
        "self: where(eq(self, 0), 0, (grad - grad.conj() * result * result) / "
        "(2 * where(eq(self, 0), 1, self).abs()))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers | kBool | kHalfComplex}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
