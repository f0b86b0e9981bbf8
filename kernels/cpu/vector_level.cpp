// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/vector_level.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace tenon::kernels::cpu {

int vector_level = 0;

#if defined(__x86_64__) && defined(__GNUC__)
namespace {

// Returns true if the processor converts half-precision numbers, a feature that clang 14 does not
// know by name.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace
#endif

void choose_vector_level() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && has_f16c();
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  vector_level = avx512 ? 2 : avx2 ? 1 : 0;
#endif
}

}  // namespace tenon::kernels::cpu
