// SPDX-License-Identifier: Apache-2.0
// aten::sgn: of each element -1, 0 or 1; of a complex one its direction, of size 1, or 0.
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
    // What turns a complex number has a derivative, what makes it longer has none; of real numbers
    // nothing is left. Numbers other than 0 stand for 0, which must not be divided by.
    .gradient =
        "self: where(eq(self, 0), 0, (grad - grad.conj() * result * result) / "
        "(2 * where(eq(self, 0), 1, self).abs()))",
    .tangent = "derived",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers | kBool}, .exact_outs = true},
};

}  // namespace tenon::kernels::ops
