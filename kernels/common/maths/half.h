// SPDX-License-Identifier: Apache-2.0
// Element types that C++20 lacks: float16, bfloat16 and the two 8-bit floats, for the host and for
// CUDA, without C++ library headers.
#pragma once

#include "kernels/common/maths/complex.h"

namespace tenon::kernels {

// GPUs have conversion instructions for the 16-bit floats.
namespace detail {

// IEEE binary16 -> binary32, without branches so that loops vectorize.
TENON_FUNCTOR inline float half_to_float(uint16_t half) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(half));
  return result;
#else
  const uint32_t wide = static_cast<uint32_t>(half) << 16;
  const uint32_t sign = wide & 0x80000000u;
  const uint32_t twice = wide + wide;
  const float normal = __builtin_bit_cast(float, (twice >> 4) + (0xE0u << 23)) * 0x1.0p-112f;
  const float subnormal = __builtin_bit_cast(float, (twice >> 17) | (126u << 23)) - 0.5f;
  const uint32_t magnitude = twice < (1u << 27) ? __builtin_bit_cast(uint32_t, subnormal)
                                                : __builtin_bit_cast(uint32_t, normal);
  return __builtin_bit_cast(float, sign | magnitude);
#endif
}

// binary32 -> IEEE binary16, to nearest, ties to even; NaN becomes the quiet NaN.
TENON_FUNCTOR inline uint16_t float_to_half(float value) {
#if defined(__CUDA_ARCH__)
  uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t twice = bits + bits;
  // Scaling up makes overflow infinite, and adding a bias rounds at the last bit that a half keeps.
  float base = (__builtin_fabsf(value) * 0x1.0p+112f) * 0x1.0p-110f;
  uint32_t bias = twice & 0xFF000000u;
  bias = bias < 0x71000000u ? 0x71000000u : bias;
  base = __builtin_bit_cast(float, (bias >> 1) + 0x07800000u) + base;
  const uint32_t rounded = __builtin_bit_cast(uint32_t, base);
  const uint32_t magnitude = ((rounded >> 13) & 0x7C00u) + (rounded & 0x0FFFu);
  return static_cast<uint16_t>(((bits >> 16) & 0x8000u) |
                               (twice > 0xFF000000u ? 0x7E00u : magnitude));
#endif
}

TENON_FUNCTOR inline uint16_t float_to_bfloat16(float value) {
#if defined(__CUDA_ARCH__)
  uint16_t bfloat16;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bfloat16) : "f"(value));
  return bfloat16;
#else
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t rounded = bits + (((bits >> 16) & 1u) + 0x7FFFu);
  return static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded >> 16);
#endif
}

// An e5m2 value is the upper byte of a half.
TENON_FUNCTOR inline float e5m2_to_float(uint8_t bits) {
  return half_to_float(static_cast<uint16_t>(static_cast<uint16_t>(bits) << 8));
}

// binary32 -> e5m2 with one rounding; overflow becomes infinite.
TENON_FUNCTOR inline uint8_t float_to_e5m2(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 24) & 0x80u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x47800000u) {  // 2^16: beyond the largest finite value, however it is rounded
    return static_cast<uint8_t>(sign | (magnitude > 0x7F800000u ? 0x7Fu : 0x7Cu));
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: subnormal, units of 2^-16
    const float shifted = __builtin_bit_cast(float, magnitude) + 0x1.0p+7f;  // ulp(2^7) = 2^-16
    return static_cast<uint8_t>(sign | (__builtin_bit_cast(uint32_t, shifted) - 0x43000000u));
  }
  magnitude += 0xFFFFFu + ((magnitude >> 21) & 1u) - (112u << 23);
  return static_cast<uint8_t>(sign | (magnitude >> 21));
}

// e4m3fn: exponent bias 7, no infinities, 0x7F is NaN.
TENON_FUNCTOR inline float e4m3_to_float(uint8_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x80u) << 24;
  const uint32_t magnitude = bits & 0x7Fu;
  float value;
  if (magnitude == 0x7Fu) {
    value = __builtin_nanf("");
  } else if (magnitude < 8u) {
    value = static_cast<float>(magnitude) * 0x1.0p-9f;
  } else {
    value = __builtin_bit_cast(float, (magnitude << 20) + (120u << 23));
  }
  return __builtin_bit_cast(float, __builtin_bit_cast(uint32_t, value) | sign);
}

// binary32 -> e4m3fn with one rounding; values out of range, including infinities, become the
// largest finite value, 448.
TENON_FUNCTOR inline uint8_t float_to_e4m3(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 24) & 0x80u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x43E00000u) {  // 448
    return static_cast<uint8_t>(sign | (magnitude > 0x7F800000u ? 0x7Fu : 0x7Eu));
  }
  if (magnitude < 0x3C800000u) {  // below 2^-6: subnormal, units of 2^-9
    const float shifted = __builtin_bit_cast(float, magnitude) + 0x1.0p+14f;  // ulp(2^14) = 2^-9
    return static_cast<uint8_t>(sign | (__builtin_bit_cast(uint32_t, shifted) - 0x46800000u));
  }
  magnitude += 0x7FFFFu + ((magnitude >> 20) & 1u) - (120u << 23);
  return static_cast<uint8_t>(sign | (magnitude >> 20));
}

}  // namespace detail

// A float stored in fewer bits: converts from and to float, and computes as float.
template <class Bits, float (*kDecode)(Bits), Bits (*kEncode)(float)>
struct SmallFloat {
  Bits bits = 0;

  SmallFloat() = default;
  TENON_FUNCTOR SmallFloat(float value) : bits(kEncode(value)) {}
  TENON_FUNCTOR operator float() const { return kDecode(bits); }
};

TENON_FUNCTOR inline float bfloat16_to_float(uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}

using Half = SmallFloat<uint16_t, detail::half_to_float, detail::float_to_half>;
using Complex32 = Complex<Half>;
using BFloat16 = SmallFloat<uint16_t, bfloat16_to_float, detail::float_to_bfloat16>;
using Float8E5M2 = SmallFloat<uint8_t, detail::e5m2_to_float, detail::float_to_e5m2>;
using Float8E4M3 = SmallFloat<uint8_t, detail::e4m3_to_float, detail::float_to_e4m3>;

}  // namespace tenon::kernels
