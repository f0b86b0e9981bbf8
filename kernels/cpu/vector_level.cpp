// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {

int vector_level = 0;

void choose_vector_level() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  vector_level = avx512 ? 2 : avx2 ? 1 : 0;
#endif
}

}  // namespace tenon::kernels::cpu
