// SPDX-License-Identifier: Apache-2.0
// One copying loop for each pair of dtypes that is cast in one step, for several instruction sets.
// float32 is cast from and to all other dtypes; int32, int64 and float64 have direct casts to those
// dtypes for which going through float32 would lose precision. The wide unsigned integers are cast
// through int64, float32 or float64, and complex32 through complex64 or float32.
//
// float16 is converted by the processor: rounded to nearest, ties to even, as in software. Each
// processor with AVX2 also has F16C.
#include "kernels/cpu/loops/cast_loops.h"

#include <cstring>
#include <iterator>

#include "kernels/cpu/loops/bits.h"
#include "kernels/cpu/loops/convert.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/vector_level.h"

#if defined(TENON_AVX2)
#include <immintrin.h>
#endif

namespace tenon::kernels::cpu {
namespace {

// Copies elements of one size as plain bytes, for any dtype.
template <class Bits>
void copy_loop(char* const* data, const int64_t* strides, int64_t count, const void*) {
  if (strides[0] == sizeof(Bits) && strides[1] == sizeof(Bits)) {
    std::memmove(data[0], data[1], static_cast<size_t>(count) * sizeof(Bits));
    return;
  }
  char* out = data[0];
  const char* in = data[1];
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out, in, sizeof(Bits));
    out += strides[0];
    in += strides[1];
  }
}

template <class To, class From>
struct Convert {
  To operator()(From value) const { return convert<To>(value); }
};

// Reads through load(), so that small floats are converted to float first.
template <class To, class From>
void cast_base(char* const* data, const int64_t* strides, int64_t count, const void* ctx) {
  unary_loop<To, From, Convert<To, Compute<From>>>(data, strides, count, ctx);
}

#if defined(TENON_AVX2)
template <class To, class From>
TENON_AVX2 [[gnu::flatten]] void cast_avx2(char* const* data, const int64_t* strides, int64_t count,
                                           const void* ctx) {
  unary_loop<To, From, Convert<To, Compute<From>>>(data, strides, count, ctx);
}
template <class To, class From>
TENON_AVX512 [[gnu::flatten]] void cast_avx512(char* const* data, const int64_t* strides,
                                               int64_t count, const void* ctx) {
  unary_loop<To, From, Convert<To, Compute<From>>>(data, strides, count, ctx);
}

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
// Mask for masked functions: GCC issues false warnings about an uninitialized vector in those
// without a mask.
constexpr __mmask16 kAll = 0xFFFF;

// ---- Functions that convert whole vectors and return the number of converted elements -----------

TENON_AVX2 int64_t widen_avx2(char* out, const char* in, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8, out += 32, in += 16) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    _mm256_storeu_ps(reinterpret_cast<float*>(out), _mm256_cvtph_ps(halves));
  }
  return i;
}
TENON_AVX2 int64_t narrow_avx2(char* out, const char* in, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8, out += 16, in += 32) {
    const __m256 floats = _mm256_loadu_ps(reinterpret_cast<const float*>(in));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_cvtps_ph(floats, kNearest));
  }
  return i;
}
TENON_AVX512 int64_t widen_avx512(char* out, const char* in, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16, out += 64, in += 32) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    _mm512_storeu_ps(out, _mm512_maskz_cvtph_ps(kAll, halves));
  }
  return i;
}
TENON_AVX512 int64_t narrow_avx512(char* out, const char* in, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16, out += 32, in += 64) {
    const __m256i halves = _mm512_maskz_cvtps_ph(kAll, _mm512_loadu_ps(in), kNearest);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), halves);
  }
  return i;
}

using Vectors = int64_t (*)(char* out, const char* in, int64_t count);

template <Vectors kVectors>
TENON_AVX2 void widen(char* const* data, const int64_t* strides, int64_t count, const void*) {
  const bool dense = strides[0] == 4 && strides[1] == 2;
  int64_t i = dense ? kVectors(data[0], data[1], count) : 0;
  char* out = data[0] + i * strides[0];
  const char* in = data[1] + i * strides[1];
  for (; i < count; ++i, out += strides[0], in += strides[1]) {
    uint16_t half;
    std::memcpy(&half, in, sizeof half);
    const float value = _cvtsh_ss(half);
    std::memcpy(out, &value, sizeof value);
  }
}

template <Vectors kVectors>
TENON_AVX2 void narrow(char* const* data, const int64_t* strides, int64_t count, const void*) {
  const bool dense = strides[0] == 2 && strides[1] == 4;
  int64_t i = dense ? kVectors(data[0], data[1], count) : 0;
  char* out = data[0] + i * strides[0];
  const char* in = data[1] + i * strides[1];
  for (; i < count; ++i, out += strides[0], in += strides[1]) {
    float value;
    std::memcpy(&value, in, sizeof value);
    const uint16_t half = _cvtss_sh(value, kNearest);
    std::memcpy(out, &half, sizeof half);
  }
}

#endif

// ---- The pairs ----------------------------------------------------------------------------------

struct Pair {
  Dtype to;
  Dtype from;
  Loop levels[kVectorLevels];
};

template <class To, class From>
constexpr Pair pair() {
#if defined(TENON_AVX2)
  return {element_dtype<To>,
          element_dtype<From>,
          {&cast_base<To, From>, &cast_avx2<To, From>, &cast_avx512<To, From>}};
#else
  return {element_dtype<To>, element_dtype<From>, {&cast_base<To, From>}};
#endif
}
// Loops with branches gain nothing from wider vectors, and rare pairs are not worth their size.
template <class To, class From>
constexpr Pair narrow_pair() {
  Pair pair{element_dtype<To>, element_dtype<From>, {}};
  for (Loop& loop : pair.levels) loop = &cast_base<To, From>;
  return pair;
}

constexpr Pair kPairs[] = {
#if defined(TENON_AVX2)
    {Dtype::F32, Dtype::F16, {&cast_base<float, Half>, &widen<&widen_avx2>, &widen<&widen_avx512>}},
    {Dtype::F16,
     Dtype::F32,
     {&cast_base<Half, float>, &narrow<&narrow_avx2>, &narrow<&narrow_avx512>}},
#else
    pair<float, Half>(),
    pair<Half, float>(),
#endif
    pair<float, bool>(),
    pair<float, uint8_t>(),
    pair<float, int8_t>(),
    pair<float, int16_t>(),
    pair<float, int32_t>(),
    pair<float, int64_t>(),
    pair<float, BFloat16>(),
    pair<float, double>(),
    pair<float, Complex64>(),
    pair<float, Complex128>(),
    narrow_pair<float, Float8E5M2>(),
    narrow_pair<float, Float8E4M3>(),
    pair<bool, float>(),
    pair<uint8_t, float>(),
    pair<int8_t, float>(),
    pair<int16_t, float>(),
    pair<int32_t, float>(),
    pair<int64_t, float>(),
    pair<BFloat16, float>(),
    pair<double, float>(),
    pair<Complex64, float>(),
    pair<Complex128, float>(),
    narrow_pair<Float8E5M2, float>(),
    narrow_pair<Float8E4M3, float>(),

    pair<int32_t, bool>(),
    pair<int32_t, uint8_t>(),
    pair<int32_t, int8_t>(),
    pair<int32_t, int16_t>(),
    pair<int32_t, int64_t>(),
    pair<bool, int32_t>(),
    pair<uint8_t, int32_t>(),
    pair<int8_t, int32_t>(),
    pair<int16_t, int32_t>(),
    pair<int64_t, int32_t>(),
    pair<int64_t, bool>(),
    pair<int64_t, uint8_t>(),
    pair<int64_t, int8_t>(),
    pair<int64_t, int16_t>(),
    pair<bool, int64_t>(),
    pair<uint8_t, int64_t>(),
    pair<int8_t, int64_t>(),
    pair<int16_t, int64_t>(),

    pair<double, int32_t>(),
    pair<double, int64_t>(),
    pair<double, Complex128>(),
    pair<bool, double>(),
    pair<uint8_t, double>(),
    pair<int8_t, double>(),
    pair<int16_t, double>(),
    pair<int32_t, double>(),
    pair<int64_t, double>(),
    pair<Complex128, double>(),

    pair<bool, Complex64>(),
    pair<bool, Complex128>(),
    pair<Complex64, Complex128>(),
    pair<Complex128, Complex64>(),

    narrow_pair<int64_t, uint16_t>(),
    narrow_pair<int64_t, uint32_t>(),
    narrow_pair<int64_t, uint64_t>(),
    narrow_pair<uint16_t, int64_t>(),
    narrow_pair<uint32_t, int64_t>(),
    narrow_pair<uint64_t, int64_t>(),
    narrow_pair<float, uint16_t>(),
    narrow_pair<float, uint32_t>(),
    narrow_pair<float, uint64_t>(),
    narrow_pair<uint16_t, float>(),
    narrow_pair<uint32_t, float>(),
    narrow_pair<uint64_t, float>(),
    narrow_pair<double, uint16_t>(),
    narrow_pair<double, uint32_t>(),
    narrow_pair<double, uint64_t>(),
    narrow_pair<uint16_t, double>(),
    narrow_pair<uint32_t, double>(),
    narrow_pair<uint64_t, double>(),
    narrow_pair<float, Complex32>(),
    narrow_pair<Complex32, float>(),
    narrow_pair<Complex64, Complex32>(),
    narrow_pair<Complex32, Complex64>(),
};

// Index of a pair in the list, counted from 1.
struct PairIndex {
  uint8_t of[32][32];
};
constexpr PairIndex pair_index() {
  PairIndex index{};
  for (size_t i = 0; i < std::size(kPairs); ++i) {
    index.of[static_cast<int>(kPairs[i].to)][static_cast<int>(kPairs[i].from)] =
        static_cast<uint8_t>(i + 1);
  }
  return index;
}
constexpr PairIndex kPairIndex = pair_index();

}  // namespace

Loop cast_loop(Dtype to, Dtype from) {
  if (to == from) {
    return with_bits(size_of(to), []<class Bits>(Bits) -> Loop { return &copy_loop<Bits>; });
  }
  const int at = kPairIndex.of[static_cast<int>(to)][static_cast<int>(from)];
  return at == 0 ? nullptr : kPairs[at - 1].levels[vector_level];
}

}  // namespace tenon::kernels::cpu
