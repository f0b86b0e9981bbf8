// SPDX-License-Identifier: Apache-2.0
// The functions of one element that functors are made of, for the host and for CUDA, without the
// headers of the C++ library.
#pragma once

#include "kernels/common/angle_maths.h"
#include "kernels/common/float_maths.h"

namespace tenon::kernels::maths {

// Complex ones go through the C++ library: kernels/cpu/complex_maths.cpp.
template <class R>
Complex<R> cos(Complex<R> x);
template <class R>
Complex<R> exp(Complex<R> x);
template <class R>
Complex<R> log(Complex<R> x);
template <class R>
Complex<R> sin(Complex<R> x);
template <class R>
Complex<R> sqrt(Complex<R> x);
template <class R>
Complex<R> tanh(Complex<R> x);
template <class R>
R abs(Complex<R> x);

TENON_FUNCTOR inline float cos(float x) { return __builtin_cosf(x); }
TENON_FUNCTOR inline double cos(double x) { return __builtin_cos(x); }
TENON_FUNCTOR inline float exp(float x) { return float_exp(x); }
TENON_FUNCTOR inline double exp(double x) { return double_exp(x); }
TENON_FUNCTOR inline float log(float x) { return float_log(x); }
TENON_FUNCTOR inline double log(double x) { return double_log(x); }
TENON_FUNCTOR inline float sin(float x) { return __builtin_sinf(x); }
TENON_FUNCTOR inline double sin(double x) { return __builtin_sin(x); }
TENON_FUNCTOR inline float sqrt(float x) { return __builtin_sqrtf(x); }
TENON_FUNCTOR inline double sqrt(double x) { return __builtin_sqrt(x); }
TENON_FUNCTOR inline float tanh(float x) { return float_tanh(x); }
TENON_FUNCTOR inline double tanh(double x) { return double_tanh(x); }

TENON_FUNCTOR inline float trunc(float x) { return __builtin_truncf(x); }
TENON_FUNCTOR inline double trunc(double x) { return __builtin_trunc(x); }
TENON_FUNCTOR inline float floor(float x) { return __builtin_floorf(x); }
TENON_FUNCTOR inline double floor(double x) { return __builtin_floor(x); }
TENON_FUNCTOR inline float fmod(float x, float y) { return __builtin_fmodf(x, y); }
TENON_FUNCTOR inline double fmod(double x, double y) { return __builtin_fmod(x, y); }
TENON_FUNCTOR inline float copysign(float x, float y) { return __builtin_copysignf(x, y); }
TENON_FUNCTOR inline double copysign(double x, double y) { return __builtin_copysign(x, y); }

// The product of any elements: of bools, their logical and; integers wrap.
template <class T>
TENON_FUNCTOR inline T multiply(T x, T y) {
  if constexpr (std::is_same_v<T, bool>) {
    return x && y;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  } else {
    return x * y;
  }
}

TENON_FUNCTOR inline float abs(float x) { return __builtin_fabsf(x); }
TENON_FUNCTOR inline double abs(double x) { return __builtin_fabs(x); }

}  // namespace tenon::kernels::maths
