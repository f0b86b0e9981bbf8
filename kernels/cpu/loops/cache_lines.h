// SPDX-License-Identifier: Apache-2.0
// Memory for what is computed in between, by whole lines of the cache: vectors are read and written
// whole, and must not lie across two of them.
#pragma once

#include <cstdint>
#include <memory>

namespace tenon::kernels::cpu {

struct alignas(64) CacheLine {
  char bytes[64];
};

// Lines that have so many bytes together, with nothing in them.
inline std::unique_ptr<CacheLine[]> cache_lines(int64_t bytes) {
  constexpr int64_t kSize = sizeof(CacheLine);
  return std::make_unique_for_overwrite<CacheLine[]>(
      static_cast<size_t>((bytes + kSize - 1) / kSize));
}

}  // namespace tenon::kernels::cpu
