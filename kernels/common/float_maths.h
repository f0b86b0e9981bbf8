// SPDX-License-Identifier: Apache-2.0
// exp, log and tanh of floats without branches or calls, so that loops over them vectorise. The
// reductions and polynomials are those of the Cephes library (expf, logf, tanhf), within 4
// units in the last place; special values are as in C.
#pragma once

#include "kernels/common/complex.h"

namespace tenon::kernels::maths {

// Constants that split ln 2, the first with so few digits that its multiples are exact.
inline constexpr float kLn2High = 0.693359375F;
inline constexpr float kLn2Low = -2.12194440e-4F;

TENON_FUNCTOR inline float power_of_2(int32_t exponent) {
  return __builtin_bit_cast(float, (exponent + 127) << 23);
}

TENON_FUNCTOR inline float float_exp(float x) {
  // Beyond these bounds the result is 0 or infinite anyhow; NaN passes.
  x = x < -104.0F ? -104.0F : x;
  x = x > 89.0F ? 89.0F : x;
  // Adding and subtracting this rounds to an integer, which is then in the lower bits.
  constexpr float kRound = 0x1.8p23F;
  const float shifted = x * 1.44269504088896341F + kRound;
  const float n = shifted - kRound;
  const int32_t exponent =
      __builtin_bit_cast(int32_t, shifted) - __builtin_bit_cast(int32_t, kRound);
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  // In two steps: the power alone may be out of range where the product is not.
  const int32_t half = exponent >> 1;
  return p * power_of_2(half) * power_of_2(exponent - half);
}

TENON_FUNCTOR inline float float_log(float x) {
  const bool is_subnormal = x < 0x1p-126F;
  const float scaled = is_subnormal ? x * 0x1p23F : x;
  // The mantissa between the square roots of 1/2 and 2.
  constexpr int32_t kRootHalf = 0x3F3504F3;
  // Unsigned, since a NaN's bits wrap; what comes of them is replaced in the end.
  const auto bits =
      static_cast<int32_t>(__builtin_bit_cast(uint32_t, scaled) + uint32_t{0x3F800000 - kRootHalf});
  const auto e = static_cast<float>((bits >> 23) - 127 - (is_subnormal ? 23 : 0));
  const float f = __builtin_bit_cast(float, (bits & 0x007FFFFF) + kRootHalf) - 1.0F;
  float p = 7.0376836292e-2F;
  p = p * f - 1.1514610310e-1F;
  p = p * f + 1.1676998740e-1F;
  p = p * f - 1.2420140846e-1F;
  p = p * f + 1.4249322787e-1F;
  p = p * f - 1.6668057665e-1F;
  p = p * f + 2.0000714765e-1F;
  p = p * f - 2.4999993993e-1F;
  p = p * f + 3.3333331174e-1F;
  const float square = f * f;
  const float tail = p * f * square + kLn2Low * e - 0.5F * square;
  float result = f + tail + kLn2High * e;
  result = x == __builtin_inff() ? x : result;
  result = x == 0.0F ? -__builtin_inff() : result;
  return x >= 0.0F ? result : __builtin_nanf("");
}

TENON_FUNCTOR inline float float_tanh(float x) {
  const float size = __builtin_fabsf(x);
  const float square = x * x;
  float p = -5.70498872745e-3F;
  p = p * square + 2.06390887954e-2F;
  p = p * square - 5.37397155531e-2F;
  p = p * square + 1.33314422036e-1F;
  p = p * square - 3.33332819422e-1F;
  const float near = p * square * size + size;
  const float far = 1.0F - 2.0F / (float_exp(size + size) + 1.0F);
  return __builtin_copysignf(size < 0.625F ? near : far, x);
}

}  // namespace tenon::kernels::maths
