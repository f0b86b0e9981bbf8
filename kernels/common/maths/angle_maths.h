// SPDX-License-Identifier: Apache-2.0
// sin and cos of floats and doubles up to kNearAngle away from 0, without branches or calls, so
// that loops over them vectorize. Errors are below 1 ulp for floats and 2 ulp for doubles; NaN as
// in C. The polynomials are Chebyshev approximations, fitted with 60 digits (mpmath.chebyfit).
#pragma once

#include "kernels/common/maths/double_maths.h"

namespace tenon::kernels::maths {

// Up to this angle the multiple of pi / 2 has at most 20 bits, so that its products with all parts
// of pi / 2 except the last are exact.
inline constexpr double kNearAngle = 0x1p20;

// Returns a word whose sign bit is set if |x| exceeds kNearAngle. For NaN it may be set or not.
TENON_FUNCTOR inline uint64_t far_angle(double x) {
  return __builtin_bit_cast(uint64_t, kNearAngle - __builtin_fabs(x));
}
TENON_FUNCTOR inline uint32_t far_angle(float x) {
  return __builtin_bit_cast(uint32_t, float{kNearAngle} - __builtin_fabsf(x));
}

inline constexpr double kOneByPi = 0x1.45f306dc9c883p-2;

// An angle minus the nearest multiple of pi / 2, and that multiple, in the lower bits.
struct Angle {
  double rest;
  uint64_t quarters;
};
TENON_FUNCTOR inline Angle angle_of(double x) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + kRoundDouble;
  const double n = shifted - kRoundDouble;
  const double first = x - n * 0x1.921fb544p+0;
  const double second = n * 0x1.0b4611a6p-34;
  const double high = first - second;
  const double low = ((first - high) - second) - n * 0x1.3198a2e037073p-69;
  return {high + low, __builtin_bit_cast(uint64_t, shifted)};
}

// Returns the sine of the remainder for an even number of quarters and the cosine for an odd one,
// negated in the second half. Selects by bits, since the base instruction set has no selection by
// 64-bit integers.
TENON_FUNCTOR inline double by_quarter(uint64_t quarters, double sine, double cosine) {
  const uint64_t odd = uint64_t{0} - (quarters & 1);
  const uint64_t bits =
      (__builtin_bit_cast(uint64_t, cosine) & odd) | (__builtin_bit_cast(uint64_t, sine) & ~odd);
  return __builtin_bit_cast(double, bits ^ ((quarters & 2) << 62));
}

TENON_FUNCTOR inline double double_sine_at(Angle angle) {
  const double r = angle.rest;
  const double z = r * r;
  const double s =
      polynomial(z, 0x1.5e0b14d26f956p-33, -0x1.ae600af46a9edp-26, 0x1.71de37967c583p-19,
                 -0x1.a01a019e83a05p-13, 0x1.1111111110bb2p-7, -0x1.5555555555555p-3);
  const double c =
      polynomial(z, -0x1.907d9e40228acp-37, 0x1.1eeb68e213e94p-29, -0x1.27e4fa17d32c5p-22,
                 0x1.a01a019f4eaacp-16, -0x1.6c16c16c16967p-10, 0x1.5555555555555p-5);
  return by_quarter(angle.quarters, r + r * z * s, 1.0 + (z * z * c - 0.5 * z));
}

TENON_FUNCTOR inline Angle quarter_later(Angle angle) { return {angle.rest, angle.quarters + 1}; }

// Adding zero would lose the sign of zero.
TENON_FUNCTOR inline double near_sin(double x) {
  return x == 0.0 ? x : double_sine_at(angle_of(x));
}
TENON_FUNCTOR inline double near_cos(double x) {
  return double_sine_at(quarter_later(angle_of(x)));
}

// Returns the sine of a remainder as a float, negated if `halves`, the multiple of pi that was
// subtracted, is odd. Floats are computed in double and rounded once, so that one polynomial covers
// -pi / 2 to pi / 2.
TENON_FUNCTOR inline float float_sine(double rest, uint64_t halves) {
  const double z = rest * rest;
  const double s = polynomial(z, -0x1.9db1437a9548cp-26, 0x1.71968ce2fe140p-19,
                              -0x1.a01905a1d9ed9p-13, 0x1.11110fda87593p-7, -0x1.55555554602b5p-3);
  const auto sine = static_cast<float>(rest + rest * z * s);
  const uint32_t sign = static_cast<uint32_t>(halves) << 31;
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, sine) ^ sign);
}

TENON_FUNCTOR inline double times_pi_from(double n, double x) {
  return (x - n * 0x1.921fb544p+1) - n * 0x1.0b4611a626331p-33;
}

TENON_FUNCTOR inline float near_sin(float x) {
  const double wide = x;
  const double shifted = wide * kOneByPi + kRoundDouble;
  const double rest = times_pi_from(shifted - kRoundDouble, wide);
  const float sine = float_sine(rest, __builtin_bit_cast(uint64_t, shifted));
  return x == 0.0F ? x : sine;
}

// cos(x) = -sin(x - pi / 2), so the multiple of pi counts one more.
TENON_FUNCTOR inline float near_cos(float x) {
  constexpr double kRound = kRoundDouble + 1;
  const double wide = x;
  const double shifted = (wide * kOneByPi - 0.5) + kRound;
  const double rest = times_pi_from((shifted - kRound) + 0.5, wide);
  return float_sine(rest, __builtin_bit_cast(uint64_t, shifted));
}

}  // namespace tenon::kernels::maths
