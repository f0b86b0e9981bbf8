// SPDX-License-Identifier: Apache-2.0
// Packs of float16 or bfloat16 that are loaded as floats and stored from floats in registers,
// without a block of floats in memory.
//
// Uses built-ins instead of <immintrin.h>, which every operator's source would have to parse.
#pragma once

#include "kernels/common/maths/half.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {

// Two elements share a word, whose halves become floats without a shuffle: a pack's floats are
// those of all lower halves, then those of all upper halves. Compilers vectorize these loops.
template <int kWords>
struct BFloat16Pack {
  static constexpr int64_t kSize = 2 * kWords;

  [[gnu::always_inline]] static inline void load(const char* from, float* to) {
    uint32_t words[kWords];
    __builtin_memcpy(words, from, sizeof words);
    for (int k = 0; k < kWords; ++k) {
      to[k] = __builtin_bit_cast(float, words[k] << 16);
      to[kWords + k] = __builtin_bit_cast(float, words[k] & 0xFFFF0000u);
    }
  }
  [[gnu::always_inline]] static inline void store(char* to, const float* from) {
    uint32_t words[kWords];
    for (int k = 0; k < kWords; ++k) {
      const uint32_t upper = detail::float_to_bfloat16(from[kWords + k]);
      words[k] = upper << 16 | detail::float_to_bfloat16(from[k]);
    }
    __builtin_memcpy(to, words, sizeof words);
  }

  // The pack that keeps the floats in the order of the elements.
  struct InOrder {
    static constexpr int64_t kSize = 1;
    [[gnu::always_inline]] static inline void load(const char* from, float* to) {
      *to = bfloat16_to_float(*reinterpret_cast<const uint16_t*>(from));
    }
  };
};

#if defined(TENON_AVX2)
namespace detail {
using Halves8 = short __attribute__((vector_size(16)));
using Halves16 = short __attribute__((vector_size(32)));
using Floats8 = float __attribute__((vector_size(32)));
using Floats16 = float __attribute__((vector_size(64)));
inline constexpr int kToNearest = 0;
inline constexpr int kAsTheProcessorIsSet = 4;  // ignored by conversions that do not round

TENON_AVX2 inline Floats8 floats_of(Halves8 halves) {
#if defined(__clang__) && !__has_builtin(__builtin_ia32_vcvtph2ps256)
  // clang 22 compiles this vector conversion to the same instruction.
  using Float16s = _Float16 __attribute__((vector_size(16)));
  return __builtin_convertvector(reinterpret_cast<Float16s>(halves), Floats8);
#else
  return __builtin_ia32_vcvtph2ps256(halves);
#endif
}
}  // namespace detail

struct HalfPackAvx2 {
  static constexpr int64_t kSize = 8;
  using InOrder = HalfPackAvx2;

  TENON_AVX2 static inline void load(const char* from, float* to) {
    detail::Halves8 halves;
    __builtin_memcpy(&halves, from, sizeof halves);
    const detail::Floats8 floats = detail::floats_of(halves);
    __builtin_memcpy(to, &floats, sizeof floats);
  }
  TENON_AVX2 static inline void store(char* to, const float* from) {
    detail::Floats8 floats;
    __builtin_memcpy(&floats, from, sizeof floats);
    const detail::Halves8 halves = __builtin_ia32_vcvtps2ph256(floats, detail::kToNearest);
    __builtin_memcpy(to, &halves, sizeof halves);
  }
};

struct HalfPackAvx512 {
  static constexpr int64_t kSize = 16;
  using InOrder = HalfPackAvx512;

  TENON_AVX512 static inline void load(const char* from, float* to) {
    detail::Halves16 halves;
    __builtin_memcpy(&halves, from, sizeof halves);
    const detail::Floats16 floats = __builtin_ia32_vcvtph2ps512_mask(
        halves, detail::Floats16{}, 0xFFFF, detail::kAsTheProcessorIsSet);
    __builtin_memcpy(to, &floats, sizeof floats);
  }
  TENON_AVX512 static inline void store(char* to, const float* from) {
    detail::Floats16 floats;
    __builtin_memcpy(&floats, from, sizeof floats);
    const detail::Halves16 halves =
        __builtin_ia32_vcvtps2ph512_mask(floats, detail::kToNearest, detail::Halves16{}, 0xFFFF);
    __builtin_memcpy(to, &halves, sizeof halves);
  }
};
#endif

// The last elements, fewer than a pack, padded with zeros.
template <class Pack>
struct Padded {
  char bytes[2 * Pack::kSize] = {};
  [[gnu::always_inline]] Padded(const char* from, int64_t count) {
    __builtin_memcpy(bytes, from, static_cast<size_t>(2 * count));
  }
};

}  // namespace tenon::kernels::cpu
