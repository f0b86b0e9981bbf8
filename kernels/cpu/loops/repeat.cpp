// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/loops/repeat.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/loops/bits.h"
#include "kernels/cpu/loops/independent.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

template <class Bits>
[[gnu::always_inline]] inline void repeat(char* block, const char* element, int64_t count) {
  Bits bits;
  std::memcpy(&bits, element, sizeof bits);
  TENON_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(block + i * int64_t{sizeof bits}, &bits, sizeof bits);
  }
}

template <class Bits>
void base(char* block, const char* element, int64_t count) {
  repeat<Bits>(block, element, count);
}
#if defined(TENON_AVX2)
template <class Bits>
TENON_AVX2 void avx2(char* block, const char* element, int64_t count) {
  repeat<Bits>(block, element, count);
}
template <class Bits>
TENON_AVX512 void avx512(char* block, const char* element, int64_t count) {
  repeat<Bits>(block, element, count);
}
#endif

}  // namespace

void repeat_element(char* block, const char* element, int64_t element_size, int64_t count) {
  with_bits(element_size, [&]<class Bits>(Bits) {
#if defined(TENON_AVX2)
    if (vector_level == 2) return avx512<Bits>(block, element, count);
    if (vector_level == 1) return avx2<Bits>(block, element, count);
#endif
    base<Bits>(block, element, count);
  });
}

void repeat_bytes(char* block, int64_t size, int64_t total) {
  while (size < total) {
    const int64_t more = std::min(size, total - size);
    std::memcpy(block + size, block, static_cast<size_t>(more));
    size += more;
  }
}

}  // namespace tenon::kernels::cpu
