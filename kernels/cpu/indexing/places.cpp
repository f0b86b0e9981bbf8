// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/indexing/places.h"

#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// Returns true if all indices are in [0, size). Negative ones are large as unsigned numbers.
template <class Index>
[[gnu::always_inline]] inline bool all_below(const Index* index, int64_t count, int64_t size) {
  using Bits = std::make_unsigned_t<Index>;
  const auto bound = static_cast<Bits>(size);
  Bits most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<Bits>(index[i]);
    most = at > most ? at : most;
  }
  return most < bound;
}

#if defined(TENON_AVX2)
template <class Index>
TENON_AVX2 bool all_below_avx2(const Index* index, int64_t count, int64_t size) {
  return all_below(index, count, size);
}
template <class Index>
TENON_AVX512 bool all_below_avx512(const Index* index, int64_t count, int64_t size) {
  return all_below(index, count, size);
}
#endif

template <class Index>
bool are_below(const Index* index, int64_t count, int64_t size) {
#if defined(TENON_AVX2)
  if (vector_level == 2) return all_below_avx512(index, count, size);
  if (vector_level == 1) return all_below_avx2(index, count, size);
#endif
  return all_below(index, count, size);
}

}  // namespace

bool are_places(const int64_t* index, int64_t count, int64_t size) {
  return are_below(index, count, size);
}
bool are_places(const int32_t* index, int64_t count, int64_t size) {
  // A 32-bit index cannot be larger.
  return are_below(index, count, std::min<int64_t>(size, int64_t{1} << 31));
}

}  // namespace tenon::kernels::cpu
