// SPDX-License-Identifier: Apache-2.0
// The functions of one element that functors are made of, for the host and for CUDA, without the
// headers of the C++ library.
#pragma once

#include "kernels/common/complex.h"

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
TENON_FUNCTOR inline float exp(float x) { return __builtin_expf(x); }
TENON_FUNCTOR inline double exp(double x) { return __builtin_exp(x); }
TENON_FUNCTOR inline float log(float x) { return __builtin_logf(x); }
TENON_FUNCTOR inline double log(double x) { return __builtin_log(x); }
TENON_FUNCTOR inline float sin(float x) { return __builtin_sinf(x); }
TENON_FUNCTOR inline double sin(double x) { return __builtin_sin(x); }
TENON_FUNCTOR inline float sqrt(float x) { return __builtin_sqrtf(x); }
TENON_FUNCTOR inline double sqrt(double x) { return __builtin_sqrt(x); }
TENON_FUNCTOR inline float tanh(float x) { return __builtin_tanhf(x); }
TENON_FUNCTOR inline double tanh(double x) { return __builtin_tanh(x); }

TENON_FUNCTOR inline float abs(float x) { return __builtin_fabsf(x); }
TENON_FUNCTOR inline double abs(double x) { return __builtin_fabs(x); }

}  // namespace tenon::kernels::maths
