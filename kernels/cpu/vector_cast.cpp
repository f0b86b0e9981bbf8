// SPDX-License-Identifier: Apache-2.0
// float16 is converted by the processor: rounded to nearest, ties to even, as in software. F16C
// comes with every processor that has AVX2. Other casts are the usual loops, compiled for wider
// instruction sets.
#include "kernels/cpu/vector_cast.h"

#include <cstring>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/vector_level.h"

#if defined(TENON_AVX2)
#include <immintrin.h>
#endif

namespace tenon::kernels::cpu {

#if defined(TENON_AVX2)
namespace {

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
// Of masked functions: GCC warns wrongly of an uninitialised vector in those without a mask.
constexpr __mmask16 kAll = 0xFFFF;

// ---- Whole vectors of contiguous elements: how many elements they converted ---------------------

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

// ---- The usual loops ----------------------------------------------------------------------------

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

struct Casts {
  Dtype to;
  Dtype from;
  Loop levels[kVectorLevels - 1];
};
template <class To, class From>
constexpr Casts casts() {
  return {element_dtype<To>, element_dtype<From>, {&cast_avx2<To, From>, &cast_avx512<To, From>}};
}

constexpr Casts kCasts[] = {
    {Dtype::F32, Dtype::F16, {&widen<&widen_avx2>, &widen<&widen_avx512>}},
    {Dtype::F16, Dtype::F32, {&narrow<&narrow_avx2>, &narrow<&narrow_avx512>}},
    casts<float, BFloat16>(),
    casts<BFloat16, float>(),
    casts<float, double>(),
    casts<double, float>(),
    casts<float, int64_t>(),
    casts<double, int64_t>(),
};

}  // namespace

Loop vector_cast_loop(Dtype to, Dtype from) {
  if (vector_level == 0) return nullptr;
  for (const Casts& casts : kCasts) {
    if (casts.to == to && casts.from == from) return casts.levels[vector_level - 1];
  }
  return nullptr;
}
#else
Loop vector_cast_loop(Dtype, Dtype) { return nullptr; }
#endif

}  // namespace tenon::kernels::cpu
