// SPDX-License-Identifier: Apache-2.0
// aten::gcd: the greatest common divisor of two integers; aten::lcm: their least common multiple.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::ops {

// Uses unsigned numbers, in which the smallest integer has an absolute value.
template <class T>
struct Gcd {
  TENON_FUNCTOR T operator()(T x, T y) const {
    uint64_t a = x < T(0) ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    uint64_t b = y < T(0) ? uint64_t{0} - static_cast<uint64_t>(y) : static_cast<uint64_t>(y);
    while (b != 0) {
      const uint64_t rest = a % b;
      a = b;
      b = rest;
    }
    return static_cast<T>(a);
  }
};

inline constexpr Facts kGcd{
    .family = &kPointwise,
    .name = "gcd",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: integers",
    .tangent = "none: integers",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kIntegers}},
};

template <class T>
struct Lcm {
  TENON_FUNCTOR T operator()(T x, T y) const {
    const T divisor = Gcd<T>()(x, y);
    if (divisor == T(0)) return T(0);
    const T product = static_cast<T>(static_cast<uint64_t>(x / divisor) * static_cast<uint64_t>(y));
    return static_cast<T>(product < T(0) ? uint64_t{0} - static_cast<uint64_t>(product)
                                         : static_cast<uint64_t>(product));
  }
};

inline constexpr Facts kLcm{
    .family = &kPointwise,
    .name = "lcm",
    .params = "Tensor self, Tensor other",
    .forms = kAllForms,
    .tags = "pointwise",
    .gradient = "none: integers",
    .tangent = "none: integers",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kIntegers}},
};

}  // namespace tenon::kernels::ops
