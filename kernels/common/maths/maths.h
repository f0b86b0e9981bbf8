// SPDX-License-Identifier: Apache-2.0
// Functions of one element that functors are built from, for the host and for CUDA, without C++
// library headers.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/maths/angle_maths.h"
#include "kernels/common/maths/float_maths.h"

// Compiler builtins on the host, CUDA's functions on a GPU.
#if defined(__CUDACC__)
#define TENON_MATHS(function) ::function
#else
#define TENON_MATHS(function) __builtin_##function
#endif

namespace tenon::kernels::maths {

// Complex functions use a C++ library: kernels/cpu/loops/complex_maths.cpp and
// kernels/cuda/loops/complex_maths.cuh.
#define TENON_COMPLEX_FUNCTIONS(X) \
  X(acos)                          \
  X(acosh)                         \
  X(asin)                          \
  X(asinh)                         \
  X(atan) X(atanh) X(cos) X(cosh) X(exp) X(log) X(log10) X(sin) X(sinh) X(sqrt) X(tan) X(tanh)
#define TENON_DECLARE_COMPLEX(function) \
  template <class R>                    \
  TENON_BOTH_SIDES Complex<R> function(Complex<R> x);
TENON_COMPLEX_FUNCTIONS(TENON_DECLARE_COMPLEX)
#undef TENON_DECLARE_COMPLEX
template <class R>
TENON_BOTH_SIDES Complex<R> pow(Complex<R> x, Complex<R> y);
template <class R>
TENON_BOTH_SIDES R abs(Complex<R> x);

// Functions of the C library, which loops call for each element.
#define TENON_UNARY_MATHS(function)                                                    \
  TENON_FUNCTOR inline float function(float x) { return TENON_MATHS(function##f)(x); } \
  TENON_FUNCTOR inline double function(double x) { return TENON_MATHS(function)(x); }
#define TENON_BINARY_MATHS(function)                                                               \
  TENON_FUNCTOR inline float function(float x, float y) { return TENON_MATHS(function##f)(x, y); } \
  TENON_FUNCTOR inline double function(double x, double y) { return TENON_MATHS(function)(x, y); }
TENON_UNARY_MATHS(acos)
TENON_UNARY_MATHS(acosh)
TENON_UNARY_MATHS(asin)
TENON_UNARY_MATHS(asinh)
TENON_UNARY_MATHS(atan)
TENON_UNARY_MATHS(atanh)
TENON_UNARY_MATHS(ceil)
TENON_UNARY_MATHS(cos)
TENON_UNARY_MATHS(cosh)
TENON_UNARY_MATHS(erfc)
TENON_UNARY_MATHS(exp2)
TENON_UNARY_MATHS(expm1)
TENON_UNARY_MATHS(floor)
TENON_UNARY_MATHS(log10)
TENON_UNARY_MATHS(log1p)
TENON_UNARY_MATHS(log2)
TENON_UNARY_MATHS(sin)
TENON_UNARY_MATHS(sinh)
TENON_UNARY_MATHS(sqrt)
TENON_UNARY_MATHS(tan)
TENON_UNARY_MATHS(trunc)
TENON_BINARY_MATHS(atan2)
TENON_BINARY_MATHS(copysign)
TENON_BINARY_MATHS(fmod)
#undef TENON_UNARY_MATHS
#undef TENON_BINARY_MATHS

TENON_FUNCTOR inline double hypot(double x, double y) { return TENON_MATHS(hypot)(x, y); }
// Squares of floats are exact as doubles and do not overflow, so the result is nearly always the
// nearest float.
TENON_FUNCTOR inline float hypot(float x, float y) {
#if defined(__CUDA_ARCH__)
  return TENON_MATHS(hypotf)(x, y);
#else
  constexpr float kInfinity = __builtin_inff();
  const double a = x, b = y;
  const float length = static_cast<float>(__builtin_sqrt(a * a + b * b));
  // An infinite leg takes precedence over NaN.
  return __builtin_fabsf(x) == kInfinity || __builtin_fabsf(y) == kInfinity ? kInfinity : length;
#endif
}
TENON_FUNCTOR inline float exp(float x) { return float_exp(x); }
TENON_FUNCTOR inline double exp(double x) { return double_exp(x); }
TENON_FUNCTOR inline float log(float x) { return float_log(x); }
TENON_FUNCTOR inline double log(double x) { return double_log(x); }
TENON_FUNCTOR inline float tanh(float x) { return float_tanh(x); }
TENON_FUNCTOR inline double tanh(double x) { return double_tanh(x); }
TENON_FUNCTOR inline float erf(float x) { return float_erf(x); }
TENON_FUNCTOR inline double erf(double x) { return double_erf(x); }
TENON_FUNCTOR inline float pow(float x, float y) {
#if defined(__CUDA_ARCH__)
  return TENON_MATHS(powf)(x, y);
#else
  return float_pow(x, y);
#endif
}
TENON_FUNCTOR inline double pow(double x, double y) { return TENON_MATHS(pow)(x, y); }

// Rounds to nearest, ties to even, which is the processor's default mode.
TENON_FUNCTOR inline float round(float x) { return TENON_MATHS(rintf)(x); }
TENON_FUNCTOR inline double round(double x) { return TENON_MATHS(rint)(x); }

// Integers are unchanged.
template <class T>
TENON_FUNCTOR inline T trunc(T x) requires std::is_integral_v<T> {
  return x;
}
template <class T>
TENON_FUNCTOR inline T floor(T x) requires std::is_integral_v<T> {
  return x;
}
template <class T>
TENON_FUNCTOR inline T ceil(T x) requires std::is_integral_v<T> {
  return x;
}
template <class T>
TENON_FUNCTOR inline T round(T x) requires std::is_integral_v<T> {
  return x;
}

// Splits x into a mantissa in [0.5, 1) with x's sign, and an exponent. Zero, infinities and NaN are
// returned unchanged, with exponent 0.
template <class Bits, int kFraction, class T>
TENON_FUNCTOR inline T split(T x, int32_t& exponent) {
  constexpr Bits kOnes = sizeof(Bits) == 4 ? 0xFF : 0x7FF;
  constexpr Bits kHalf = kOnes / 2 - 1;  // the biased exponent of 0.5
  const T size = x < 0 ? -x : x;
  // Subnormal numbers have their exponent in the fraction.
  const bool is_subnormal = size < (sizeof(Bits) == 4 ? T(0x1p-126) : T(0x1p-1022));
  const T scaled = is_subnormal ? x * T(0x1p60) : x;
  const auto bits = __builtin_bit_cast(Bits, scaled);
  const auto biased = static_cast<int32_t>(bits >> kFraction & kOnes);
  const bool is_split = x != 0 && biased != static_cast<int32_t>(kOnes);
  exponent = is_split ? biased - static_cast<int32_t>(kHalf) - (is_subnormal ? 60 : 0) : 0;
  const Bits mantissa = (bits & ~(kOnes << kFraction)) | (kHalf << kFraction);
  return is_split ? __builtin_bit_cast(T, mantissa) : x;
}
TENON_FUNCTOR inline float frexp(float x, int32_t& exponent) {
  return split<uint32_t, 23>(x, exponent);
}
TENON_FUNCTOR inline double frexp(double x, int32_t& exponent) {
  return split<uint64_t, 52>(x, exponent);
}

// Handles an integer division by 0: throws on the host, and returns -1 on a GPU, which cannot
// throw.
template <class T>
TENON_FUNCTOR inline T divided_by_zero([[maybe_unused]] const char* op) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(-1);
#else
  refuse_argument(op, "other", "nonzero in an integer division", "0");
#endif
}

// Returns the product of two elements. The product of bools is their logical AND; integers wrap.
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

template <class T>
TENON_FUNCTOR inline T conj(T x) {
  if constexpr (is_complex_element<T>) {
    return {x.re, -x.im};
  } else {
    return x;
  }
}

// A float16 or bfloat16 of which only the sign, the top bit of both, is read or changed.
struct SignedBits {
  uint16_t bits;
};
TENON_FUNCTOR inline SignedBits operator-(SignedBits x) {
  return {static_cast<uint16_t>(x.bits ^ 0x8000)};
}
TENON_FUNCTOR inline SignedBits abs(SignedBits x) {
  return {static_cast<uint16_t>(x.bits & 0x7FFF)};
}

TENON_FUNCTOR inline float abs(float x) { return TENON_MATHS(fabsf)(x); }
TENON_FUNCTOR inline double abs(double x) { return TENON_MATHS(fabs)(x); }

inline constexpr double kLn2 = 0.693147180559945309417;

// Computed by parts, because multiplying by or dividing by a complex number turns the other part
// into NaN if one part is infinite.
template <class R>
TENON_FUNCTOR inline Complex<R> exp2(Complex<R> x) {
  return exp(Complex<R>{x.re * R(kLn2), x.im * R(kLn2)});
}
template <class R>
TENON_FUNCTOR inline Complex<R> log2(Complex<R> x) {
  const Complex<R> natural = log(x);
  return {natural.re / R(kLn2), natural.im / R(kLn2)};
}
// Computed by parts, so that small numbers keep their precision.
template <class R>
TENON_FUNCTOR inline Complex<R> expm1(Complex<R> x) {
  const R half = sin(x.im / 2);
  return {expm1(x.re) * cos(x.im) - 2 * half * half, exp(x.re) * sin(x.im)};
}
template <class R>
TENON_FUNCTOR inline Complex<R> log1p(Complex<R> x) {
  const R angle = atan2(x.im, x.re + 1);
  if (hypot(x.re, x.im) >= R(0.5)) return {log(hypot(x.re + 1, x.im)), angle};
  const R beyond = x.re * (2 + x.re) + x.im * x.im;  // |1 + x|^2 - 1
  return {beyond == 0 ? x.re : log1p(beyond) / 2, angle};
}

}  // namespace tenon::kernels::maths
