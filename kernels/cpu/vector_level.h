// SPDX-License-Identifier: Apache-2.0
// Which instruction sets loops are compiled for, and which of them this processor has.
#pragma once

namespace tenon::kernels::cpu {

// The base set of the architecture; AVX2 with FMA; AVX-512. Elsewhere than on x86-64 there is only
// the base.
#if defined(__x86_64__) && defined(__GNUC__)
#define TENON_AVX2 [[gnu::target("avx2,fma,f16c,bmi,bmi2")]]
#define TENON_AVX512_SET "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2"
#if defined(__clang__)  // which has another word for the width
#define TENON_AVX512 [[gnu::target(TENON_AVX512_SET), clang::min_vector_width(512)]]
#else
#define TENON_AVX512 [[gnu::target(TENON_AVX512_SET ",prefer-vector-width=512")]]
#endif
inline constexpr int kVectorLevels = 3;
#else
inline constexpr int kVectorLevels = 1;
#endif

// The highest level of this processor, 0 until choose_vector_level was called, once, at load.
extern int vector_level;
void choose_vector_level();

}  // namespace tenon::kernels::cpu
