// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <cstddef>
#include <cstdint>

namespace tenon::base {

namespace {

// The number of bytes that follow the first byte of a character, and the range of the second byte,
// which excludes overlong forms, surrogates and code points above U+10FFFF (Unicode, table 3-7).
struct LeadByte {
  uint8_t following;  // 0: no character begins with this byte
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
};

LeadByte lead_byte(uint8_t first) noexcept {
  if (first >= 0xc2 && first <= 0xdf) return {1};
  if (first == 0xe0) return {2, 0xa0};
  if (first == 0xed) return {2, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {2};
  if (first == 0xf0) return {3, 0x90};
  if (first >= 0xf1 && first <= 0xf3) return {3};
  if (first == 0xf4) return {3, 0x80, 0x8f};
  return {0};
}

}  // namespace

bool is_utf8(std::string_view bytes) noexcept {
  const auto byte = [&](size_t index) { return static_cast<uint8_t>(bytes[index]); };
  for (size_t i = 0; i < bytes.size();) {
    if (byte(i) < 0x80) {
      ++i;
      continue;
    }
    const LeadByte lead = lead_byte(byte(i));
    if (lead.following == 0 || bytes.size() - i <= lead.following) return false;
    if (byte(i + 1) < lead.low || byte(i + 1) > lead.high) return false;
    for (size_t k = 2; k <= lead.following; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    i += lead.following + 1u;
  }
  return true;
}

}  // namespace tenon::base
