// SPDX-License-Identifier: Apache-2.0
// Shared output of the demos: times, digests of results, and names of languages.
#include "report.h"

#include <time.h>

double report_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

uint64_t report_digest(tenon_tensor* const* tensors, int64_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int64_t i = 0; i < count; ++i) {
    tenon_tensor_info info;
    if (tenon_tensor_describe(tensors[i], &info) != TENON_OK) {
      return 0;
    }
    const unsigned char* bytes = info.data;
    const int64_t size = info.numel * tenon_dtype_size(info.dtype);
    for (int64_t b = 0; b < size; ++b) {
      hash = (hash ^ bytes[b]) * UINT64_C(0x100000001b3);
    }
  }
  return hash;
}

const char* report_language(uint32_t language) {
  static const char* const names[] = {"-", "C", "C++", "Python", "Java", "Rust"};
  return names[language < 6 ? language : 0];
}
