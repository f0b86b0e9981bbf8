// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh and erf of doubles, and pow of floats, without branches or calls, so that loops
// over them vectorize. Errors of the functions of doubles are below 3 ulp; special values are as in
// C. The polynomials are Chebyshev approximations, fitted with 60 digits (mpmath.chebyfit).
#pragma once

#include "kernels/common/maths/polynomial.h"

namespace tenon::kernels::maths {

inline constexpr double kPi = 3.14159265358979323846;
// Adding and subtracting this number rounds a double to an integer. After the addition the lower
// bits hold this integer.
inline constexpr double kRoundDouble = 0x1.8p52;
// ln 2 as a sum; the first part has so few digits that its multiples are exact.
inline constexpr double kLn2HighDouble = 0x1.62e42ffp-1;
inline constexpr double kLn2LowDouble = -0x1.718432a1b0e26p-35;

// e to the power of x as scale^2 * (1 + rest). The scale is squared because 2^n may be out of range
// even if the result is not.
struct DoublePower {
  double scale;
  double rest;
};
TENON_FUNCTOR inline DoublePower double_power(double x) {
  // After the addition the lower bits hold the integer plus 1023, the exponent bias.
  constexpr double kRound = kRoundDouble + 1023;
  const double shifted = x * 0x1.71547652b82fep-1 + kRound;
  const double n = shifted - kRound;
  const double r = (x - n * (2 * kLn2HighDouble)) - n * (2 * kLn2LowDouble);
  // (exp(r) - 1 - r) / r^2
  const double p = polynomial(
      r, 0x1.63931ecb13953p-33, 0x1.2135a2cb95a36p-29, 0x1.ae61b4631e43bp-26, 0x1.27e2831e7a104p-22,
      0x1.71de3ba590190p-19, 0x1.a01a0416c5fbcp-16, 0x1.a01a019f82848p-13, 0x1.6c16c16afa84ep-10,
      0x1.11111111112a1p-7, 0x1.5555555555b30p-5, 0x1.5555555555555p-3, 0x1.fffffffffffffp-2);
  const uint64_t scale = __builtin_bit_cast(uint64_t, shifted) << 52;
  return {__builtin_bit_cast(double, scale), p * (r * r) + r};
}

TENON_FUNCTOR inline double double_exp(double x) {
  // Outside these bounds the result is 0 or infinite in any case; NaN passes.
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const DoublePower power = double_power(x);
  return (power.rest + 1.0) * power.scale * power.scale;
}

// Returns the logarithm of x * 2^-scale for a positive normal number x.
TENON_FUNCTOR inline double normal_log(double x, double scale) {
  // The mantissa is between sqrt(1/2) and sqrt(2).
  constexpr uint64_t kRootHalf = 0x3FE6A09E00000000;
  constexpr uint64_t kOne = 0x3FF0000000000000;
  const uint64_t bits = __builtin_bit_cast(uint64_t, x) + (kOne - kRootHalf);
  // Setting the lower bits of 2^52 to an integer below 2^52 makes the double 2^52 + integer.
  const double biased = __builtin_bit_cast(double, (bits >> 52) | 0x4330000000000000);
  const double e = biased - (0x1p52 + 1023 + scale);
  const double f = __builtin_bit_cast(double, (bits & 0x000FFFFFFFFFFFFF) + kRootHalf) - 1.0;
  // log(1 + f) = log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), and 2 s = f - s f
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double p = polynomial(z, 0x1.2b585feb331adp-3, 0x1.39fe5ead68d96p-3, 0x1.7462b4b86a8abp-3,
                              0x1.c71c62e5518b4p-3, 0x1.2492492df16d4p-2, 0x1.99999999952e1p-2,
                              0x1.5555555555558p-1);
  const double half = 0.5 * f * f;
  const double tail = s * (half + z * p) + e * kLn2LowDouble;
  return e * kLn2HighDouble - ((half - tail) - f);
}

TENON_FUNCTOR inline double near_log(double x) { return normal_log(x, 0.0); }

// Returns a word whose sign bit is set if near_log() would be wrong: for all but positive normal
// numbers.
TENON_FUNCTOR inline uint64_t far_for_log(double x) {
  const uint64_t bits = __builtin_bit_cast(uint64_t, x);
  return (bits - 0x0010000000000000) | (bits + 0x0010000000000000);
}

TENON_FUNCTOR inline double double_log(double x) {
  const bool is_subnormal = x < 0x1p-1022;
  double result = normal_log(is_subnormal ? x * 0x1p54 : x, is_subnormal ? 54.0 : 0.0);
  result = x == __builtin_inf() ? x : result;
  result = x == 0.0 ? -__builtin_inf() : result;
  return x >= 0.0 ? result : __builtin_nan("");
}

TENON_FUNCTOR inline double double_tanh(double x) {
  // From 22 on the result is 1; NaN passes.
  double twice = 2.0 * __builtin_fabs(x);
  twice = twice > 44.0 ? 44.0 : twice;
  const DoublePower power = double_power(twice);
  const double scale = power.scale * power.scale;
  const double less_one = scale * power.rest + (scale - 1.0);  // exp(2 |x|) - 1
  return __builtin_copysign(less_one / (less_one + 2.0), x);
}

TENON_FUNCTOR inline double double_erf(double x) {
  const double size = __builtin_fabs(x);
  // erf(x) / x - 1 in x^2, up to 1
  const double small = polynomial(
      x * x, 0x1.05ffd737fb32ep-34, -0x1.389d4f2641625p-30, 0x1.f7b4bf3b13964p-27,
      -0x1.5f1ecb6f0764cp-23, 0x1.b9df224ca4b97p-20, -0x1.f4d1e3183f7aep-17, 0x1.f9a321d5b8e1ep-14,
      -0x1.c02db3dac435fp-11, 0x1.565bcd0dbaa38p-8, -0x1.b82ce31284e00p-6, 0x1.ce2f21a042b30p-4,
      -0x1.812746b0379e6p-2, 0x1.06eba8214db69p-3);
  // (1 - erf(t)) * exp(t^2) as a polynomial in (t - 2) / (t + 2), for t up to 6; from there on the
  // result is 1. NaN passes.
  const double t = size > 6.0 ? 6.0 : size;
  const double large = polynomial(
      (t - 2.0) / (t + 2.0), -0x1.de7cb807e82e6p-23, 0x1.1640edd9e223dp-18, 0x1.f322e0892648ep-20,
      -0x1.db57ed0f1c283p-17, -0x1.cfbc05a3f041ap-16, 0x1.ce62d05252d06p-16, 0x1.6dab5fdd60b62p-13,
      0x1.6d589c869e092p-15, -0x1.016b5e511a3f0p-10, -0x1.bc25a010847bep-11, 0x1.ca95ed532b303p-8,
      0x1.e9471591b7446p-9, -0x1.437f0b68c0663p-4, 0x1.eeea7dc8a7bb2p-3, -0x1.b57034efd3f74p-2,
      0x1.058671b52c775p-2);
  const DoublePower power = double_power(-t * t);
  const double rest = 1.0 - (power.rest + 1.0) * power.scale * power.scale * large;
  return size < 1.0 ? x * small + x : __builtin_copysign(rest, x);
}

// Returns the logarithm to base 2 of a nonnegative float, passed as a double because subnormal
// floats are normal doubles. The relative error is at most 2^-44.
TENON_FUNCTOR inline double wide_log2(double x) {
  // The mantissa is between sqrt(1/2) and sqrt(2).
  constexpr uint64_t kRootHalf = 0x3FE6A09E00000000;
  constexpr uint64_t kOne = 0x3FF0000000000000;
  const uint64_t bits = __builtin_bit_cast(uint64_t, x) + (kOne - kRootHalf);
  const double e = __builtin_bit_cast(double, (bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  const double f = __builtin_bit_cast(double, (bits & 0x000FFFFFFFFFFFFF) + kRootHalf) - 1.0;
  // log2(1 + f) = log2((1 + s) / (1 - s)) = s p(s^2)
  const double s = f / (2.0 + f);
  const double p =
      polynomial(s * s, 0x1.21b245a850e1dp-2, 0x1.4795463b406c3p-2, 0x1.a61a2ef4051f3p-2,
                 0x1.2776c2935a8c1p-1, 0x1.ec709dc53bfcfp-1, 0x1.71547652b8251p+1);
  double result = s * p + e;
  result = x == 0.0 ? -__builtin_inf() : result;
  return x < __builtin_inf() ? result : x;  // NaN passes
}

// Returns 2 to the power of x with a relative error of at most 2^-40. Clamps x to bounds at which
// the result is already 0 or infinite as a float.
TENON_FUNCTOR inline double wide_exp2(double x) {
  constexpr double kRound = kRoundDouble + 1023;
  x = x < -160.0 ? -160.0 : x;
  x = x > 130.0 ? 130.0 : x;
  const double shifted = x + kRound;
  const double r = x - (shifted - kRound);
  const double p = polynomial(
      r, 0x1.63d136366db24p-20, 0x1.00dc4a532fb8ep-16, 0x1.4308ac85aa947p-13, 0x1.5d8745a728441p-10,
      0x1.3b2ab7181b755p-7, 0x1.c6b08dd6fd234p-5, 0x1.ebfbdff823cedp-3, 0x1.62e42fef84cf0p-1, 1.0);
  return p * __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, shifted) << 52);
}

// Computes x^y as 2^(y * log2(x)) in double, so that all but about one in several thousand results
// are the nearest float.
TENON_FUNCTOR inline float float_pow(float x, float y) {
  constexpr float kInfinity = __builtin_inff();
  const float size = __builtin_fabsf(x);
  const double power = wide_exp2(static_cast<double>(y) * wide_log2(static_cast<double>(size)));
  // Select special values as floats: as doubles, each selection would need two vectors and two
  // masks.
  auto result = static_cast<float>(power);
  // 1^y and x^0 are 1 even if the other operand is NaN.
  result =
      x == 1.0F || y == 0.0F || (size == 1.0F && __builtin_fabsf(y) == kInfinity) ? 1.0F : result;
  const bool is_whole = __builtin_truncf(y) == y;
  const float half = y * 0.5F;
  const bool is_odd = is_whole && __builtin_truncf(half) != half;
  const uint32_t sign = __builtin_bit_cast(uint32_t, x) & (is_odd ? 0x80000000U : 0U);
  result = __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, result) | sign);
  return x < 0.0F && x > -kInfinity && !is_whole ? __builtin_nanf("") : result;
}

}  // namespace tenon::kernels::maths
