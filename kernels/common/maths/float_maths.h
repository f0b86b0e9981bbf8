// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, erf and the normal distribution of floats, without branches or calls, so that
// loops over them vectorize. Errors are below 4 ulp; special values are as in C. The constants of
// ln 2 and the polynomial of the logarithm are from the Cephes library (logf).
#pragma once

#include "kernels/common/maths/polynomial.h"

namespace tenon::kernels::maths {

// ln 2 as a sum; the first part has so few digits that its multiples are exact.
inline constexpr float kLn2High = 0.693359375F;
inline constexpr float kLn2Low = -2.12194440e-4F;

// e to the power of x as scale^2 * (1 + rest). The scale is squared because 2^n may be out of range
// even if the result is not. The polynomial is a Chebyshev approximation, fitted with 60 digits
// (mpmath.chebyfit).
struct FloatPower {
  float scale;
  float rest;
};
TENON_FUNCTOR inline FloatPower float_power(float x) {
  // Adding and subtracting kRound rounds to an integer. After the addition the lower bits hold this
  // integer plus 127, the exponent bias.
  constexpr float kRound = 0x1.8p23F + 127;
  const float shifted = x * 0.72134752044448170F + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * (2 * kLn2High)) - n * (2 * kLn2Low);
  // (exp(r) - 1 - r) / r^2
  const float p = polynomial(r, 0x1.a401fcp-16F, 0x1.a4fd1cp-13F, 0x1.6c12fep-10F, 0x1.110c5cp-7F,
                             0x1.555572p-5F, 0x1.55555ap-3F, 0.5F);
  const uint32_t scale = __builtin_bit_cast(uint32_t, shifted) << 23;
  return {__builtin_bit_cast(float, scale), p * (r * r) + r};
}

TENON_FUNCTOR inline float float_exp(float x) {
  // Outside these bounds the result is 0 or infinite in any case; NaN passes.
  x = x < -104.0F ? -104.0F : x;
  x = x > 89.0F ? 89.0F : x;
  const FloatPower power = float_power(x);
  return (power.rest + 1.0F) * power.scale * power.scale;
}

// Returns the logarithm of x * 2^-scale for a positive normal number x.
TENON_FUNCTOR inline float normal_log(float x, int32_t scale) {
  // The mantissa is between sqrt(1/2) and sqrt(2).
  constexpr int32_t kRootHalf = 0x3F3504F3;
  // Unsigned, since the bits of a NaN wrap; its result is replaced at the end.
  const auto bits =
      static_cast<int32_t>(__builtin_bit_cast(uint32_t, x) + uint32_t{0x3F800000 - kRootHalf});
  const auto e = static_cast<float>((bits >> 23) - 127 - scale);
  const float f = __builtin_bit_cast(float, (bits & 0x007FFFFF) + kRootHalf) - 1.0F;
  const float p = polynomial(f, 7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F,
                             -1.2420140846e-1F, 1.4249322787e-1F, -1.6668057665e-1F,
                             2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F);
  const float square = f * f;
  const float tail = p * f * square + kLn2Low * e - 0.5F * square;
  return f + tail + kLn2High * e;
}

TENON_FUNCTOR inline float near_log(float x) { return normal_log(x, 0); }

// Returns a word whose sign bit is set if near_log() would be wrong: for all but positive normal
// numbers.
TENON_FUNCTOR inline uint32_t far_for_log(float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  return (bits - 0x00800000) | (bits + 0x00800000);
}

TENON_FUNCTOR inline float float_log(float x) {
  const bool is_subnormal = x < 0x1p-126F;
  float result = normal_log(is_subnormal ? x * 0x1p23F : x, is_subnormal ? 23 : 0);
  result = x == __builtin_inff() ? x : result;
  result = x == 0.0F ? -__builtin_inff() : result;
  return x >= 0.0F ? result : __builtin_nanf("");
}

TENON_FUNCTOR inline float float_tanh(float x) {
  // From 9.02 on the result is 1; NaN passes.
  float twice = 2.0F * __builtin_fabsf(x);
  twice = twice > 20.0F ? 20.0F : twice;
  const FloatPower power = float_power(twice);
  const float scale = power.scale * power.scale;
  const float less_one = scale * power.rest + (scale - 1.0F);  // exp(2 |x|) - 1
  return __builtin_copysignf(less_one / (less_one + 2.0F), x);
}

// Two Chebyshev approximations, fitted with 40 digits (mpmath.chebyfit).
TENON_FUNCTOR inline float float_erf(float x) {
  const float size = __builtin_fabsf(x);
  // erf(x) / x - 1 in x^2, up to 1
  const float small = polynomial(x * x, 0x1.4a569p-14F, -0x1.a45088p-11F, 0x1.54127p-8F,
                                 -0x1.b7fabap-6F, 0x1.ce2d1p-4F, -0x1.81273ep-2F, 0x1.06eba8p-3F);
  // -log(1 - erf(t)) / t up to 4, where erf rounds to 1; NaN passes.
  const float t = size > 4.0F ? 4.0F : size;
  const float large =
      polynomial(t, -0x1.390124p-20F, 0x1.32f6e4p-15F, -0x1.0e6632p-11F, 0x1.1ea63ep-8F,
                 -0x1.9ea7f8p-6F, 0x1.babe96p-4F, 0x1.4497e8p-1F, 0x1.210358p+0F);
  const FloatPower power = float_power(-t * large);
  const float rest = 1.0F - (power.rest + 1.0F) * power.scale * power.scale;
  return size < 1.0F ? x * small + x : __builtin_copysignf(rest, x);
}

// Cumulative normal distribution at x, with an absolute error of 2^-23, like 1 + erf. Down to -5.5,
// below which it is 0, the relative error is at most 2^-15. One polynomial covers all x.
TENON_FUNCTOR inline float float_normal_below(float x) {
  // log2(erfc(t / sqrt(2))) / t, fitted so that erfc has a uniform error
  const float t = __builtin_fabsf(x);
  const float power = t * polynomial(t, 0x1.c48222p-23F, -0x1.4d20d0p-18F, 0x1.882f3cp-15F,
                                     -0x1.979406p-13F, -0x1.305a12p-13F, 0x1.d0a9cep-8F,
                                     -0x1.ae3ae6p-5F, -0x1.d638d8p-2F, -0x1.26aee0p+0F);
  // Half of 2 to that power. After adding kRound the exponent is in the lower bits.
  constexpr float kRound = 0x1.8p23F + 126;
  const float shifted = power + kRound;
  const float r = power - (shifted - kRound);
  const float p = polynomial(r, 0x1.443fffp-13F, 0x1.5f48c0p-10F, 0x1.3b2a1bp-7F, 0x1.c6aeccp-5F,
                             0x1.ebfbe0p-3F, 0x1.62e430p-1F, 1.0F);
  float tail = p * __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, shifted) << 23);
  tail = t > 5.5F ? 0.0F : tail;
  return x < 0.0F ? tail : 1.0F - tail;
}

}  // namespace tenon::kernels::maths
