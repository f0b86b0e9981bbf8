// SPDX-License-Identifier: Apache-2.0
// Special functions of one element that the C library lacks, and the logarithm of the gamma
// function.
#pragma once

#if !defined(__CUDACC__)
#include <math.h>  // lgamma_r, j0 and similar functions, which clang 22 lacks as built-ins
#endif

#include "kernels/common/maths/gamma_maths.h"
#include "kernels/common/maths/inverse_erf.h"
#include "kernels/common/maths/maths.h"

namespace tenon::kernels::maths {

TENON_FUNCTOR inline float lgamma(float x) { return float_lgamma(x); }
// Calls lgamma_r() because lgamma() stores the sign in a global variable, which is a data race.
TENON_FUNCTOR inline double lgamma(double x) {
#if defined(__CUDACC__)
  return ::lgamma(x);
#else
  int sign;
  return ::lgamma_r(x, &sign);
#endif
}

TENON_FUNCTOR inline float erfinv(float y) { return float_erfinv(y); }
TENON_FUNCTOR inline double erfinv(double y) { return double_erfinv(y); }

TENON_FUNCTOR inline float digamma(float x) { return float_digamma(x); }
// Uses the series https://dlmf.nist.gov/5.11.E2 from 10 on. Smaller arguments are increased with
// the recurrence https://dlmf.nist.gov/5.5.E2; negative ones are reflected by
// https://dlmf.nist.gov/5.5.E4.
TENON_FUNCTOR inline double digamma(double x) {
  if (x == 0) return TENON_MATHS(copysign)(__builtin_inf(), -x);
  double result = 0;
  if (x < 0) {
    const double whole = TENON_MATHS(trunc)(x);
    if (x == whole) return __builtin_nan("");
    result = -kPi / TENON_MATHS(tan)(kPi * (x - whole));
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  const double z = 1 / (x * x);
  double series = 1.0 / 12;  // coefficients |B(2k)| / 2k, from the last term to the first
  series = 691.0 / 32760 - z * series;
  series = 1.0 / 132 - z * series;
  series = 1.0 / 240 - z * series;
  series = 1.0 / 252 - z * series;
  series = 1.0 / 120 - z * series;
  series = 1.0 / 12 - z * series;
  return result + TENON_MATHS(log)(x) - 0.5 / x - z * series;
}

// Returns the Hurwitz zeta function for s > 1 and q > 0: adds the first terms, up to a base above
// 9, and approximates the remaining ones by https://dlmf.nist.gov/25.11.E5.
TENON_FUNCTOR inline double zeta_from(double s, double q) {
  constexpr int kTerms = 9;
  // (2k)! / B(2k)
  constexpr double kDivisors[] = {12.0,
                                  -720.0,
                                  30240.0,
                                  -1209600.0,
                                  47900160.0,
                                  -1892437580.3183791606,
                                  74724249600.0,
                                  -2950130727918.1642245,
                                  116467828143500.67249,
                                  -4597978722407472.6105,
                                  181521054019435467.73,
                                  -7166165256175667011.3};
  double sum = 0;
  double a = q;
  for (int k = 0; k < kTerms || a <= 9; ++k, a += 1) sum += TENON_MATHS(pow)(a, -s);
  double power = TENON_MATHS(pow)(a, -s);
  if (power == 0) return sum;  // the other terms underflow: s is large or infinite
  sum += power * a / (s - 1) + power / 2;
  double factor = s;
  power /= a;
  for (int k = 0; k < 12; ++k) {
    const double term = factor * power / kDivisors[k];
    sum += term;
    if ((term < 0 ? -term : term) < 1e-17 * (sum < 0 ? -sum : sum)) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2);
    power /= a * a;
  }
  return sum;
}

// Returns the Hurwitz zeta function for any q, as polygamma() needs it. Terms with a negative base
// are added one by one unless q is far below 0.
TENON_FUNCTOR inline double zeta(double s, double q) {
  if (q <= 0 && q == TENON_MATHS(floor)(q)) return __builtin_inf();
  // For q far below 0, the terms with a negative base are computed as a difference of two zeta
  // functions of positive q, times (-1)^s. For a fractional s these terms are NaN.
  constexpr double kFar = -1e4;
  double starts[] = {q, 0, 0}, signs[] = {1, 0, 1};
  const bool is_far = q < kFar;
  if (is_far) {
    if (s != TENON_MATHS(floor)(s)) return __builtin_nan("");
    const double last = -q - TENON_MATHS(floor)(-q);  // the last negative base is -last
    const bool is_odd = s != 2 * TENON_MATHS(floor)(s / 2);
    starts[0] = last;
    starts[1] = 1 - q;
    starts[2] = 1 - last;
    signs[0] = is_odd ? -1 : 1;
    signs[1] = -signs[0];
  }
  double sum = 0;
  for (int k = 0; k < (is_far ? 3 : 1); ++k) sum += signs[k] * zeta_from(s, starts[k]);
  return sum;
}

// https://dlmf.nist.gov/25.11.E12
TENON_FUNCTOR inline double polygamma(int64_t order, double x) {
  if (order == 0) return digamma(x);
  double factorial = 1;
  for (int64_t k = 2; k <= order && factorial < 1e308; ++k) factorial *= static_cast<double>(k);
  const double size = factorial * zeta(static_cast<double>(order) + 1, x);
  return order % 2 == 0 ? -size : size;
}

// Returns the modified Bessel function I of order 0 or 1, times exp(-|x|) if `is_scaled`. Up to 20
// it adds https://dlmf.nist.gov/10.25.E2, whose terms are all positive; above 20
// https://dlmf.nist.gov/10.40.E1, whose terms fall below the precision of a double there.
template <int kOrder>
TENON_FUNCTOR inline double bessel_i(double x, bool is_scaled) {
  const double size = x < 0 ? -x : x;
  const double sign = kOrder == 1 && x < 0 ? -1 : 1;
  double sum = 1, term = 1;
  if (size <= 20) {
    const double square = size * size / 4;
    for (int k = 1; k < 100; ++k) {
      term *= square / (k * (k + kOrder));
      sum += term;
      if (term < 1e-17 * sum) break;
    }
    if (kOrder == 1) sum *= size / 2;
    return sign * (is_scaled ? sum * TENON_MATHS(exp)(-size) : sum);
  }
  if (size == __builtin_inf()) return is_scaled ? 0 : sign * size;
  for (int k = 1; k < 30; ++k) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4 * kOrder) / (8 * size * k);
    sum += term;
    if ((term < 0 ? -term : term) < 1e-17) break;
  }
  sum /= TENON_MATHS(sqrt)(2 * kPi * size);
  if (is_scaled) return sign * sum;
  // Multiply twice by exp(size / 2), because exp(size) may overflow where the product does not.
  const double half = TENON_MATHS(exp)(size / 2);
  return sign * (sum * half) * half;
}
TENON_FUNCTOR inline double i0(double x) { return bessel_i<0>(x, false); }
TENON_FUNCTOR inline double i0e(double x) { return bessel_i<0>(x, true); }
TENON_FUNCTOR inline double i1(double x) { return bessel_i<1>(x, false); }
TENON_FUNCTOR inline double i1e(double x) { return bessel_i<1>(x, true); }

}  // namespace tenon::kernels::maths
