// SPDX-License-Identifier: Apache-2.0
// exp, log and tanh of doubles without branches or calls, so that loops over them vectorise: within
// 3 units in the last place; special values are as in C. The polynomials are Chebyshev's, fitted in
// 60 digits (mpmath.chebyfit); the constants of ln 2 are its first 32 bits and the rest.
#pragma once

#include "kernels/common/polynomial.h"

namespace tenon::kernels::maths {

// Adding and subtracting this rounds a double to an integer, which is then in the lower bits.
inline constexpr double kRoundDouble = 0x1.8p52;
inline constexpr double kLn2HighDouble = 0x1.62e42ffp-1;
inline constexpr double kLn2LowDouble = -0x1.718432a1b0e26p-35;

// e to the power of x as scale^2 * (1 + rest): 2^n alone may be out of range where that is not.
struct DoublePower {
  double scale;
  double rest;
};
TENON_FUNCTOR inline DoublePower double_power(double x) {
  // As much too large as an exponent's bits are.
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
  // Beyond these bounds the result is 0 or infinite anyhow; NaN passes.
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const DoublePower power = double_power(x);
  return (power.rest + 1.0) * power.scale * power.scale;
}

// The logarithm of a normal number above 0, times 2^-scale.
TENON_FUNCTOR inline double normal_log(double x, double scale) {
  // The mantissa between the square roots of 1/2 and 2.
  constexpr uint64_t kRootHalf = 0x3FE6A09E00000000;
  constexpr uint64_t kOne = 0x3FF0000000000000;
  const uint64_t bits = __builtin_bit_cast(uint64_t, x) + (kOne - kRootHalf);
  // An integer below 2^52 in the lower bits of 2^52 is that double, added.
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

// The sign bit says whether near_log would be wrong: of all but normal numbers above 0.
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

}  // namespace tenon::kernels::maths
