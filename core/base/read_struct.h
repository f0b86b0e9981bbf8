// SPDX-License-Identifier: Apache-2.0
// Structs that callers fill, who may know fewer fields than this version or more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "base/check.h"

namespace tenon::base {

/// The struct as this version knows it: fields that an older caller does not know are zero. Its
/// first field is `struct_size`; `first` is the size of the first released version, the least that
/// is accepted. Throws TENON_ERROR_ABI for a smaller one, and for one with a value in a field that
/// this version does not know. `who` begins the message.
template <class T, class Who>
T read_struct(const Who& who, size_t first, const T& given) {
  constexpr size_t kMost = 4096;  // no struct will ever be larger: it was not set
  const uint32_t size = given.struct_size;
  TENON_CHECK(size >= first && size <= kMost, TENON_ERROR_ABI, who,
              ": struct_size must be at least ", first, ", got ", size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (size_t i = sizeof(T); i < size; ++i) {
    TENON_CHECK(bytes[i] == 0, TENON_ERROR_ABI, who,
                ": fields unknown to this version must be zero, got a value at ", i);
  }
  T whole{};
  std::memcpy(&whole, &given, std::min<size_t>(size, sizeof(T)));
  return whole;
}

/// Throws TENON_ERROR_INVALID_ARGUMENT where a reserved word is not zero.
template <class Who, class... Words>
void check_reserved(const Who& who, const Words&... words) {
  const auto is_zero = [](const auto& word) {
    if constexpr (std::is_array_v<std::remove_reference_t<decltype(word)>>) {
      return std::all_of(std::begin(word), std::end(word), [](auto each) { return each == 0; });
    } else {
      return word == 0;
    }
  };
  TENON_CHECK_ARG((is_zero(words) && ...), who, ": reserved words must be zero, got a value");
}

}  // namespace tenon::base
