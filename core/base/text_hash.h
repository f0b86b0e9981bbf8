// SPDX-License-Identifier: Apache-2.0
// A hash of short texts, for tables of names in this process. Not stable between versions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenon::base {

namespace detail {

// Mixes two words such that every bit of the result depends on every bit of both.
inline uint64_t fold(uint64_t a, uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <class Word>
uint64_t read(const char* data) noexcept {
  Word word;
  std::memcpy(&word, data, sizeof word);
  return word;
}

}  // namespace detail

/// Returns true if two texts of the same size are equal. Inlined, because names are short.
inline bool same_text(const char* a, const char* b, size_t size) noexcept {
  if (size < 8) return std::memcmp(a, b, size) == 0;
  uint64_t differences =
      detail::read<uint64_t>(a + size - 8) ^ detail::read<uint64_t>(b + size - 8);
  for (size_t i = 0; i + 8 < size; i += 8) {
    differences |= detail::read<uint64_t>(a + i) ^ detail::read<uint64_t>(b + i);
  }
  return differences == 0;
}

/// Hashes 16 bytes per step. The last 16 bytes are read as two words, which may overlap bytes that
/// have been hashed already. In texts of 4 to 16 bytes, the two words may overlap each other. All
/// bits are well mixed.
inline uint64_t hash_text(std::string_view text) noexcept {
  constexpr uint64_t kFirst = 0x9fb21c651e98df25u, kSecond = 0xa0761d6478bd642fu;
  const char* data = text.data();
  size_t left = text.size();
  uint64_t hash = left ^ kFirst;
  for (; left > 16; data += 16, left -= 16) {
    hash = detail::fold(detail::read<uint64_t>(data) ^ kSecond,
                        detail::read<uint64_t>(data + 8) ^ hash);
  }
  uint64_t head = 0, tail = 0;
  if (text.size() > 16) {
    head = detail::read<uint64_t>(data + left - 16);
    tail = detail::read<uint64_t>(data + left - 8);
  } else if (left >= 8) {
    head = detail::read<uint64_t>(data);
    tail = detail::read<uint64_t>(data + left - 8);
  } else if (left >= 4) {
    head = detail::read<uint32_t>(data);
    tail = detail::read<uint32_t>(data + left - 4);
  } else {
    for (size_t i = 0; i < left; ++i) head = head << 8 | static_cast<unsigned char>(data[i]);
  }
  // Numbered names differ at their ends, in bytes that `hash` may contain already: hence `tail` is
  // the other factor instead of being XORed with `hash`.
  return detail::fold(tail ^ kSecond, head ^ hash);
}

}  // namespace tenon::base
