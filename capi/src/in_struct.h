// SPDX-License-Identifier: Apache-2.0
// Structs that callers give, who may know fewer fields than this version or more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "base/check.h"

namespace tenon::capi {

/// A struct whose first field is `struct_size`, with 0 in the fields that the caller does not know.
/// `first` is the size of the first released version, the least that is accepted. Throws
/// TENON_ERROR_ABI for less, and for a value in a field that this version does not know.
template <class T>
T read_struct(const char* function, size_t first, const T* given) {
  TENON_CHECK_ARG(given != nullptr, function, ": options must be an address, got NULL");
  const uint32_t size = given->struct_size;
  TENON_CHECK(size >= first, TENON_ERROR_ABI, function, ": struct_size must be at least ", first,
              ", got ", size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(T); i < size; ++i) {
    TENON_CHECK(bytes[i] == 0, TENON_ERROR_ABI, function,
                ": fields unknown to this version must be zero, got a value at ", i);
  }
  T whole{};
  std::memcpy(&whole, given, std::min<size_t>(size, sizeof(T)));
  return whole;
}

/// Throws TENON_ERROR_INVALID_ARGUMENT for reserved words with a value.
inline void require_zero(const char* function, std::initializer_list<uint64_t> reserved) {
  for (const uint64_t word : reserved) {
    TENON_CHECK_ARG(word == 0, function, ": reserved words must be zero, got ", word);
  }
}

}  // namespace tenon::capi
