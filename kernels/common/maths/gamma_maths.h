// SPDX-License-Identifier: Apache-2.0
// The logarithm of the gamma function and its derivative for floats, computed in double without
// branches or calls, so that loops over them vectorize. Errors are below 4 ulp of float.
//
// Both use Stirling's series (https://dlmf.nist.gov/5.11.E1 and .E2) for arguments from 8 on.
// Smaller arguments are increased by 8 with the recurrence https://dlmf.nist.gov/5.5.E1; negative
// ones are reflected by https://dlmf.nist.gov/5.5.E3 and .E4.
#pragma once

#include "kernels/common/maths/double_maths.h"

namespace tenon::kernels::maths {

inline constexpr int kGammaShift = 8;

// Return sin(pi * r) and cos(pi * r) for r in [-1/2, 1/2], by Taylor polynomials in r^2.
TENON_FUNCTOR inline double sine_of_turns(double r) {
  return r * polynomial(r * r, -0x1.7215f879e1ac9p-37, 0x1.2877020d52cfp-31, -0x1.8a404211f9547p-26,
                        0x1.aaec32af93359p-21, -0x1.6fadb9f155744p-16, 0x1.e8f434d018d63p-12,
                        -0x1.e3074fde8871fp-8, 0x1.50783487ee782p-4, -0x1.32d2cce62bd86p-1,
                        0x1.466bc6775aae2p+1, -0x1.4abbce625be53p+2, 0x1.921fb54442d18p+1);
}
TENON_FUNCTOR inline double cosine_of_turns(double r) {
  return polynomial(r * r, -0x1.52ae4120fde27p-34, 0x1.ef6e308d6d1c4p-29, -0x1.2a0c591af8314p-23,
                    0x1.20c62c2f2d7f5p-18, -0x1.b6e24f44b128fp-14, 0x1.f9d38a3763cc3p-10,
                    -0x1.a6d1f2a204a8cp-6, 0x1.e1f506891babbp-3, -0x1.55d3c7e3cbffap+0,
                    0x1.03c1f081b5ac4p+2, -0x1.3bd3cc9be45dep+2, 0x1.0p+0);
}

// Returns x minus the nearest integer, which is exact.
TENON_FUNCTOR inline double beyond_integer(double x) { return x - __builtin_rint(x); }

TENON_FUNCTOR inline float float_lgamma(float given) {
  const double x = given;
  const double t = __builtin_fabs(x);
  double product = t;
  for (int step = 1; step < kGammaShift; ++step) product *= t + step;
  const bool is_small = t < kGammaShift;
  product = is_small ? product : 1.0;
  const double z = is_small ? t + kGammaShift : t;
  const double inverse = 1.0 / z;
  const double series =
      inverse * polynomial(inverse * inverse, -0x1.e4286cb0f5398p-6, 0x1.a41a41a41a41ap-8,
                           -0x1.f6ab0d9993c7dp-10, 0x1.b951e2b18ff23p-11, -0x1.3813813813814p-11,
                           0x1.a01a01a01a01ap-11, -0x1.6c16c16c16c17p-9, 0x1.5555555555555p-4);
  constexpr double kHalfLogOfTurn = 0.91893853320467274178;  // log(2 pi) / 2
  const double stirling = (z - 0.5) * (double_log(z) - 1.0) + (kHalfLogOfTurn - 0.5) + series;
  const bool is_reflected = x < 0.0;
  const double sine = __builtin_fabs(sine_of_turns(beyond_integer(t)));
  const double log = double_log(is_reflected ? kPi * product / (t * sine) : product);
  double result = is_reflected ? log - stirling : stirling - log;
  result = x == 1.0 || x == 2.0 ? 0.0 : result;
  return t == __builtin_inf() ? __builtin_inff() : static_cast<float>(result);
}

TENON_FUNCTOR inline float float_digamma(float given) {
  const double x = given;
  const bool is_reflected = x < 0.0;
  const double t = is_reflected ? 1.0 - x : x;
  // The sum of 1 / (t + i) for i < kGammaShift as one fraction, above / below.
  double above = 1.0, below = t;
  for (int step = 1; step < kGammaShift; ++step) {
    above = above * (t + step) + below;
    below *= t + step;
  }
  const bool is_small = t < kGammaShift;
  const double sum = is_small ? above / below : 0.0;
  const double z = is_small ? t + kGammaShift : t;
  const double inverse = 1.0 / z;
  const double square = inverse * inverse;
  const double series =
      square * polynomial(square, -0x1.c5e5e5e5e5e5ep-2, 0x1.5555555555555p-4,
                          -0x1.5995995995996p-6, 0x1.f07c1f07c1f08p-8, -0x1.1111111111111p-8,
                          0x1.041041041041p-8, -0x1.1111111111111p-7, 0x1.5555555555555p-4);
  double result = double_log(z) - 0.5 * inverse - series - sum;
  const double r = beyond_integer(x);
  const double cotangent = kPi * cosine_of_turns(r) / sine_of_turns(r);
  // The poles: NaN at negative integers, and at 0 an infinity with the opposite sign of the zero.
  result = is_reflected ? (r == 0.0 ? __builtin_nan("") : result - cotangent) : result;
  return static_cast<float>(x == 0.0 ? -__builtin_copysign(__builtin_inf(), x) : result);
}

}  // namespace tenon::kernels::maths
