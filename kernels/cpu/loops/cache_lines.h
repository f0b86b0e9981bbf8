// SPDX-License-Identifier: Apache-2.0
// Memory for intermediate results, aligned to cache lines, so that loads and stores of whole
// vectors do not cross two lines.
#pragma once

#include <cstdint>
#include <memory>

namespace tenon::kernels::cpu {

struct alignas(64) CacheLine {
  char bytes[64];
};

// Returns uninitialized cache lines with a total size of at least `bytes`.
inline std::unique_ptr<CacheLine[]> cache_lines(int64_t bytes) {
  constexpr int64_t kSize = sizeof(CacheLine);
  return std::make_unique_for_overwrite<CacheLine[]>(
      static_cast<size_t>((bytes + kSize - 1) / kSize));
}

}  // namespace tenon::kernels::cpu
