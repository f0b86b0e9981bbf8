// SPDX-License-Identifier: Apache-2.0
// aten::neg: the negative of each element; unsigned integers wrap.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Neg {
  TENON_FUNCTOR T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));  // the smallest one wraps
    } else {
      return -x;
    }
  }
};

inline constexpr Facts kNeg{
    .family = &kPointwise,
    .name = "neg",
    .params = "Tensor self",
    .forms = kAllForms,
    .gradient = "self: -grad",
    .tangent = "-self_t",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kNumbers | kHalfComplex},
                  .no_bool = "logical not inverts a mask",
                  .reads = Reads::Signs,
                  .exact_outs = true},
};

inline constexpr Facts kNegative{
    .family = &kSynonym,
    .name = "negative",
    .params = "Tensor self",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: calls neg",
    .tangent = "none: calls neg",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kNeg,
};

}  // namespace tenon::kernels::ops
