// SPDX-License-Identifier: Apache-2.0
// Builds message texts from strings and numbers without streams.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon::base {

inline void append(std::string& out, std::string_view text) { out.append(text); }
inline void append(std::string& out, const char* text) { out.append(text ? text : "(null)"); }
inline void append(std::string& out, const std::string& text) { out.append(text); }
inline void append(std::string& out, char letter) { out.push_back(letter); }
inline void append(std::string& out, bool value) { out.append(value ? "true" : "false"); }

template <class T>
requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> &&
         !std::is_same_v<T, char>) void append(std::string& out, T value) {
  char digits[64];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Joins its arguments: strings as they are, numbers in decimal, doubles so that they read back.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

}  // namespace tenon::base
