// SPDX-License-Identifier: Apache-2.0
// Structs filled by callers that may know fewer or more fields than this version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "base/check.h"

namespace tenon::base {

/// Checks a struct of a caller that may use another version of it. Its first field, `struct_size`,
/// must be at least `first`, the size of the first released version. Bytes from `known` on belong
/// to fields that this version does not have, and must be zero. Throws TENON_ERROR_ABI with a
/// message that begins with `who`.
template <class T, class Who>
void check_struct(const Who& who, size_t first, const T& given, size_t known = sizeof(T)) {
  constexpr size_t kMost = 4096;  // a larger value means that the field was not set
  const uint32_t size = given.struct_size;
  TENON_CHECK(size >= first && size <= kMost, TENON_ERROR_ABI, who,
              ": struct_size must be at least ", first, ", got ", size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (size_t i = known; i < size; ++i) {
    TENON_CHECK(bytes[i] == 0, TENON_ERROR_ABI, who,
                ": fields unknown to this version must be zero, got a nonzero byte at offset ", i);
  }
}

/// Returns a copy of the struct in this version's layout. Fields that the caller's version lacks
/// are zero.
template <class T, class Who>
T read_struct(const Who& who, size_t first, const T& given) {
  check_struct(who, first, given);
  T whole{};
  std::memcpy(&whole, &given, std::min<size_t>(given.struct_size, sizeof(T)));
  return whole;
}

/// Throws TENON_ERROR_INVALID_ARGUMENT if a reserved word is not zero.
template <class Who, class... Words>
void check_reserved(const Who& who, const Words&... words) {
  const auto is_zero = [](const auto& word) {
    if constexpr (std::is_array_v<std::remove_reference_t<decltype(word)>>) {
      return std::all_of(std::begin(word), std::end(word), [](auto each) { return each == 0; });
    } else {
      return word == 0;
    }
  };
  TENON_CHECK_ARG((is_zero(words) && ...), who,
                  ": reserved fields must be zero, got another value");
}

}  // namespace tenon::base
