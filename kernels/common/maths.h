// SPDX-License-Identifier: Apache-2.0
// The functions of one element that functors are made of, for the host and for CUDA, without the
// headers of the C++ library.
#pragma once

#include "kernels/common/angle_maths.h"
#include "kernels/common/args.h"
#include "kernels/common/float_maths.h"

// The compiler's own on the host, CUDA's on a GPU.
#if defined(__CUDACC__)
#define TENON_MATHS(function) ::function
#else
#define TENON_MATHS(function) __builtin_##function
#endif

namespace tenon::kernels::maths {

// Complex ones go through a C++ library: kernels/cpu/complex_maths.cpp, cuda/complex_maths.cuh.
template <class R>
TENON_BOTH_SIDES Complex<R> cos(Complex<R> x);
template <class R>
TENON_BOTH_SIDES Complex<R> exp(Complex<R> x);
template <class R>
TENON_BOTH_SIDES Complex<R> log(Complex<R> x);
template <class R>
TENON_BOTH_SIDES Complex<R> sin(Complex<R> x);
template <class R>
TENON_BOTH_SIDES Complex<R> sqrt(Complex<R> x);
template <class R>
TENON_BOTH_SIDES Complex<R> tanh(Complex<R> x);
template <class R>
TENON_BOTH_SIDES Complex<R> pow(Complex<R> x, Complex<R> y);
template <class R>
TENON_BOTH_SIDES R abs(Complex<R> x);

TENON_FUNCTOR inline float cos(float x) { return TENON_MATHS(cosf)(x); }
TENON_FUNCTOR inline double cos(double x) { return TENON_MATHS(cos)(x); }
TENON_FUNCTOR inline float exp(float x) { return float_exp(x); }
TENON_FUNCTOR inline double exp(double x) { return double_exp(x); }
TENON_FUNCTOR inline float log(float x) { return float_log(x); }
TENON_FUNCTOR inline double log(double x) { return double_log(x); }
TENON_FUNCTOR inline float sin(float x) { return TENON_MATHS(sinf)(x); }
TENON_FUNCTOR inline double sin(double x) { return TENON_MATHS(sin)(x); }
TENON_FUNCTOR inline float sqrt(float x) { return TENON_MATHS(sqrtf)(x); }
TENON_FUNCTOR inline double sqrt(double x) { return TENON_MATHS(sqrt)(x); }
TENON_FUNCTOR inline float tanh(float x) { return float_tanh(x); }
TENON_FUNCTOR inline double tanh(double x) { return double_tanh(x); }

TENON_FUNCTOR inline float pow(float x, float y) { return TENON_MATHS(powf)(x, y); }
TENON_FUNCTOR inline double pow(double x, double y) { return TENON_MATHS(pow)(x, y); }

TENON_FUNCTOR inline float trunc(float x) { return TENON_MATHS(truncf)(x); }
TENON_FUNCTOR inline double trunc(double x) { return TENON_MATHS(trunc)(x); }
TENON_FUNCTOR inline float floor(float x) { return TENON_MATHS(floorf)(x); }
TENON_FUNCTOR inline double floor(double x) { return TENON_MATHS(floor)(x); }
TENON_FUNCTOR inline float ceil(float x) { return TENON_MATHS(ceilf)(x); }
TENON_FUNCTOR inline double ceil(double x) { return TENON_MATHS(ceil)(x); }
// To even, as the processor rounds unless it is told otherwise.
TENON_FUNCTOR inline float round(float x) { return TENON_MATHS(rintf)(x); }
TENON_FUNCTOR inline double round(double x) { return TENON_MATHS(rint)(x); }
TENON_FUNCTOR inline float fmod(float x, float y) { return TENON_MATHS(fmodf)(x, y); }
TENON_FUNCTOR inline double fmod(double x, double y) { return TENON_MATHS(fmod)(x, y); }
TENON_FUNCTOR inline float copysign(float x, float y) { return TENON_MATHS(copysignf)(x, y); }
TENON_FUNCTOR inline double copysign(double x, double y) { return TENON_MATHS(copysign)(x, y); }

// Integers are whole.
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

// The mantissa of x, of [0.5, 1) with x's sign, and its exponent. Zero, infinities and NaN are
// their own mantissa, with exponent 0.
template <class Bits, int kFraction, class T>
TENON_FUNCTOR inline T split(T x, int32_t& exponent) {
  constexpr Bits kOnes = sizeof(Bits) == 4 ? 0xFF : 0x7FF;
  constexpr Bits kHalf = kOnes / 2 - 1;  // the exponent of 0.5, in its place in memory
  const T size = x < 0 ? -x : x;
  // The smallest numbers have their exponent in the fraction.
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

// What an integer divided by 0 is on a GPU, where nothing can be refused; the host refuses.
template <class T>
TENON_FUNCTOR inline T divided_by_zero([[maybe_unused]] const char* op) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(-1);
#else
  refuse_argument(op, "other", "free of zeros where integers are divided", "0");
#endif
}

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

template <class T>
TENON_FUNCTOR inline T conj(T x) {
  if constexpr (is_complex_element<T>) {
    return {x.re, -x.im};
  } else {
    return x;
  }
}

// A float16 or bfloat16 of which only the sign, the upper bit of both, is looked at or changed.
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

}  // namespace tenon::kernels::maths
