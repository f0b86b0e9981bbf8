// SPDX-License-Identifier: Apache-2.0
// aten::logaddexp and logaddexp2: the logarithm of the sum of two powers of the base.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Computes the smaller operand's contribution from the difference, because powers may be out of
// range when the result is not. Two infinities of one sign, whose difference is NaN, are returned
// unchanged.
template <class T>
struct Logaddexp {
  TENON_FUNCTOR T operator()(T x, T y) const {
    if constexpr (is_complex_element<T>) {
      if (x == y && !(x.re - x.re == 0)) return x;
      const bool is_swapped = x.re < y.re;
      const T larger = is_swapped ? y : x, smaller = is_swapped ? x : y;
      return larger + maths::log1p(maths::exp(smaller - larger));
    } else {
      if (x == y && x - y != T(0)) return x;
      const T larger = x > y ? x : y;
      return larger + maths::log1p(maths::exp(-maths::abs(x - y)));
    }
  }
};
template <class T>
struct Logaddexp2 {
  TENON_FUNCTOR T operator()(T x, T y) const {
    if (x == y && x - y != T(0)) return x;
    const T larger = x > y ? x : y;
    return larger + maths::log1p(maths::exp2(-maths::abs(x - y))) / T(maths::kLn2);
  }
};

inline constexpr Facts kLogaddexp{
    .family = &kPointwise,
    .name = "logaddexp",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: grad / (1 + (other - self).exp()).conj(); "
        "other: grad / (1 + (self - other).exp()).conj()",
    .tangent = "self_t / (1 + (other - self).exp()) + other_t / (1 + (self - other).exp())",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats | kComplex}},
};

inline constexpr Facts kLogaddexp2{
    .family = &kPointwise,
    .name = "logaddexp2",
    .params = "Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .tags = "pointwise",
    .gradient =
        "self: grad / (1 + (other - self).exp2()); "
        "other: grad / (1 + (self - other).exp2())",
    .tangent = "self_t / (1 + (other - self).exp2()) + other_t / (1 + (self - other).exp2())",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kFloats}},
};

}  // namespace tenon::kernels::ops
