// SPDX-License-Identifier: Apache-2.0
// aten::abs: the absolute value of each element; a complex number's is real.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

template <class T>
struct Abs {
  TENON_FUNCTOR Real<T> operator()(T x) const {
    if constexpr (!std::is_integral_v<T>) {
      return maths::abs(x);
    } else {
      // The smallest integer has no positive counterpart and is unchanged.
      return static_cast<T>(x < T{0} ? uint64_t{0} - static_cast<uint64_t>(x)
                                     : static_cast<uint64_t>(x));
    }
  }
};

inline constexpr Facts kAbs{
    .family = &kPointwise,
    .name = "abs",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: grad * self.sgn()",
    .tangent = "self_t * self.sgn().conj()",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers | kFloat8 | kHalfComplex, Promote::Common, Gives::Real},
                  .reads = Reads::Signs,
                  .exact_outs = true},
};

inline constexpr Facts kAbsolute{
    .family = &kSynonym,
    .name = "absolute",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls abs",
    .tangent = "none: calls abs",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kAbs,
};

}  // namespace tenon::kernels::ops
