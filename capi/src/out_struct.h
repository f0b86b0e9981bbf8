// SPDX-License-Identifier: Apache-2.0
// Structs that C functions fill for callers, who may have been compiled with fewer or more fields.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tenon::capi {

/// Sizes of structs in their first release: the minimum struct_size of callers.
constexpr size_t kFirstSlotInfo = 64;
constexpr size_t kFirstArgumentInfo = 64;

/// Fills a struct of a caller that may use another version of it. The caller has set the first
/// field, `struct_size`, and no bytes beyond that size are written. It must be at least `first`,
/// the size of the first released version. `make()` returns this version's struct. If `make()`
/// throws, all fields except struct_size are zero.
template <class T, class Make>
void fill_struct(const char* function, size_t first, T* out_struct, Make&& make) {
  const uint32_t size = out_struct->struct_size;
  TENON_CHECK(size >= first, TENON_ERROR_ABI, function, ": struct_size must be at least ", first,
              ", got ", size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(out_struct);
  for (size_t i = sizeof(T); i < size; ++i) {
    TENON_CHECK(bytes[i] == 0, TENON_ERROR_ABI, function,
                ": fields unknown to this version must be zero, got a nonzero byte at offset ", i);
  }
  const size_t known = std::min<size_t>(size, sizeof(T));
  constexpr size_t kSize = sizeof(out_struct->struct_size);
  auto* fields = reinterpret_cast<unsigned char*>(out_struct);
  std::memset(fields + kSize, 0, known - kSize);
  const T made = make();
  std::memcpy(fields + kSize, reinterpret_cast<const unsigned char*>(&made) + kSize, known - kSize);
}

}  // namespace tenon::capi
