// SPDX-License-Identifier: Apache-2.0
// Functions of the normal distribution that the C library lacks.
#pragma once

#include "kernels/common/maths/special_maths.h"

namespace tenon::kernels::maths {

inline constexpr double kSqrtHalf = 0.70710678118654752440;

// erfc(x) * exp(x * x). The square is split to keep its digits beyond double precision, since exp
// turns an absolute error into a relative one.
TENON_FUNCTOR inline double erfcx(double x) {
  if (x > 26) {  // https://dlmf.nist.gov/7.12.E1
    const double z = 1 / (2 * x * x);
    const double rest = 1 - 5 * z * (1 - 7 * z * (1 - 9 * z * (1 - 11 * z)));
    return 0.56418958354775628695 / x * (1 - z * (1 - 3 * z * rest));
  }
  if (x < -27 || x != x) return x != x ? x : __builtin_inf();
  const double head = TENON_MATHS(floor)(x * 64) / 64;
  return TENON_MATHS(exp)(head * head) * TENON_MATHS(exp)((x - head) * (x + head)) *
         TENON_MATHS(erfc)(x);
}

TENON_FUNCTOR inline double ndtr(double x) { return 0.5 * TENON_MATHS(erfc)(-x * kSqrtHalf); }

TENON_FUNCTOR inline double log_ndtr(double x) {
  if (x > -1) return TENON_MATHS(log1p)(-0.5 * TENON_MATHS(erfc)(x * kSqrtHalf));
  return TENON_MATHS(log)(0.5 * erfcx(-x * kSqrtHalf)) - 0.5 * x * x;
}

// Starts from M. Abramowitz and I. Stegun, 26.2.23, and continues with Newton steps on the
// logarithm, which has no inflection point.
TENON_FUNCTOR inline double ndtri(double y) {
  if (!(y >= 0 && y <= 1)) return __builtin_nan("");
  if (y == 0 || y == 1) return y == 0 ? -__builtin_inf() : __builtin_inf();
  const double low = y > 0.5 ? 1 - y : y;
  const double log_low = TENON_MATHS(log)(low);
  const double t = TENON_MATHS(sqrt)(-2 * log_low);
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
             t;
  for (int k = 0; k < 3; ++k) {
    x -= (log_ndtr(x) - log_low) * 1.25331413731550025121 * erfcx(-x * kSqrtHalf);
  }
  return y > 0.5 ? -x : x;
}

}  // namespace tenon::kernels::maths
