// SPDX-License-Identifier: Apache-2.0
// Conversions between float16 and float32 by the processor: rounded to nearest, ties to even, as
// the software ones. F16C comes with every processor that has AVX2.
#include "kernels/cpu/half_cast.h"

#include <cstring>

#include "kernels/cpu/vector_level.h"

#if defined(TENON_AVX2)
#include <immintrin.h>
#endif

namespace tenon::kernels::cpu {

#if defined(TENON_AVX2)
namespace {

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

TENON_AVX2 void widen(char* const* data, const int64_t* strides, int64_t count, const void*) {
  char* out = data[0];
  const char* in = data[1];
  int64_t i = 0;
  if (strides[0] == 4 && strides[1] == 2) {
    for (; i + 8 <= count; i += 8, out += 32, in += 16) {
      const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
      _mm256_storeu_ps(reinterpret_cast<float*>(out), _mm256_cvtph_ps(halves));
    }
  }
  for (; i < count; ++i, out += strides[0], in += strides[1]) {
    uint16_t half;
    std::memcpy(&half, in, sizeof half);
    const float value = _cvtsh_ss(half);
    std::memcpy(out, &value, sizeof value);
  }
}

TENON_AVX2 void narrow(char* const* data, const int64_t* strides, int64_t count, const void*) {
  char* out = data[0];
  const char* in = data[1];
  int64_t i = 0;
  if (strides[0] == 2 && strides[1] == 4) {
    for (; i + 8 <= count; i += 8, out += 16, in += 32) {
      const __m256 floats = _mm256_loadu_ps(reinterpret_cast<const float*>(in));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_cvtps_ph(floats, kNearest));
    }
  }
  for (; i < count; ++i, out += strides[0], in += strides[1]) {
    float value;
    std::memcpy(&value, in, sizeof value);
    const uint16_t half = _cvtss_sh(value, kNearest);
    std::memcpy(out, &half, sizeof half);
  }
}

}  // namespace

Loop half_cast_loop(Dtype to, Dtype from) {
  if (vector_level == 0) return nullptr;
  if (to == Dtype::F32 && from == Dtype::F16) return &widen;
  return to == Dtype::F16 && from == Dtype::F32 ? &narrow : nullptr;
}
#else
Loop half_cast_loop(Dtype, Dtype) { return nullptr; }
#endif

}  // namespace tenon::kernels::cpu
