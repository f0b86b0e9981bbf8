// SPDX-License-Identifier: Apache-2.0
// The instruction sets that loops are compiled for, and the detection of those of this processor.
#pragma once

namespace tenon::kernels::cpu {

// The levels: the base set of the architecture, AVX2 with FMA, and AVX-512. Other architectures
// than x86-64 have only the base level.
#if defined(__x86_64__) && defined(__GNUC__)
#define TENON_AVX2 [[gnu::target("avx2,fma,f16c,bmi,bmi2")]]
#define TENON_AVX512_SET "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2"
#if defined(__clang__)  // clang has another name for the width
#define TENON_AVX512 [[gnu::target(TENON_AVX512_SET), clang::min_vector_width(512)]]
#else
#define TENON_AVX512 [[gnu::target(TENON_AVX512_SET ",prefer-vector-width=512")]]
#endif
inline constexpr int kVectorLevels = 3;
#else
inline constexpr int kVectorLevels = 1;
#endif

// The highest level of this processor. 0 until choose_vector_level() is called, once, at load.
extern int vector_level;
void choose_vector_level();

}  // namespace tenon::kernels::cpu
