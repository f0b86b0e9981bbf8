// SPDX-License-Identifier: Apache-2.0
// Products and quotients of complex numbers without the standard library's slow cases for infinity.
#pragma once

#include <cmath>
#include <complex>

#include "kernels/common/element.h"

namespace tenon::kernels::cpu {

template <class T>
T multiply(T a, T b) {
  if constexpr (is_complex_element<T>) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));  // wraps
  } else {
    return a * b;
  }
}

// Smith's method, scaled by the larger part of the divisor, as numpy does it.
template <class R>
std::complex<R> divide(std::complex<R> x, std::complex<R> y) {
  const R a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  if (std::fabs(c) >= std::fabs(d)) {
    if (c == R(0) && d == R(0)) return {a / std::fabs(c), b / std::fabs(d)};
    const R ratio = d / c;
    const R scale = R(1) / (c + d * ratio);
    return {(a + b * ratio) * scale, (b - a * ratio) * scale};
  }
  const R ratio = c / d;
  const R scale = R(1) / (c * ratio + d);
  return {(a * ratio + b) * scale, (b * ratio - a) * scale};
}
inline float divide(float a, float b) { return a / b; }
inline double divide(double a, double b) { return a / b; }

}  // namespace tenon::kernels::cpu
