// SPDX-License-Identifier: Apache-2.0
// Interned strings, never freed: one stable, NUL-terminated copy each, compared by address.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace tenon::base {

/// Returns the only copy of `text`, which is never freed. For names from code (operators, keys,
/// files), never for text that grows with data.
std::string_view intern(std::string_view text);

/// An interned string: one pointer wide, equal if the addresses are. Default: "".
class InternedString {
 public:
  InternedString() noexcept = default;
  explicit InternedString(std::string_view text);

  const char* c_str() const noexcept { return text_; }
  std::string_view view() const noexcept { return text_; }
  bool empty() const noexcept { return *text_ == '\0'; }
  friend bool operator==(InternedString a, InternedString b) noexcept { return a.text_ == b.text_; }

 private:
  const char* text_ = kEmpty;
  static const char kEmpty[1];
};

}  // namespace tenon::base

template <>
struct std::hash<tenon::base::InternedString> {
  size_t operator()(tenon::base::InternedString text) const noexcept {
    return std::hash<const void*>()(text.c_str());
  }
};
