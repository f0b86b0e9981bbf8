// SPDX-License-Identifier: Apache-2.0
// Builds message texts from strings and numbers without streams.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon::base {

/// A part of a text: a borrowed text, or a number in decimal, with enough digits for doubles to
/// read back. Not movable. There are many messages, which are rarely built, so that the code size
/// at each call site matters: most of the code is out of line.
class TextPart {
 public:
  TextPart(std::string_view text) noexcept : data_(text.data()), size_(text.size()) {}
  TextPart(const std::string& text) noexcept : data_(text.data()), size_(text.size()) {}
  TextPart(const char* text) noexcept;
  template <class T>
  requires std::is_arithmetic_v<T> TextPart(T value)
  noexcept : TextPart(Number(), widest(value)) {}
  TextPart(const TextPart&) = delete;
  TextPart& operator=(const TextPart&) = delete;

  std::string_view text() const noexcept { return {data_, size_}; }

 private:
  struct Number {};
  TextPart(Number, int64_t value) noexcept;
  TextPart(Number, uint64_t value) noexcept;
  TextPart(Number, float value) noexcept;
  TextPart(Number, double value) noexcept;
  TextPart(Number, char letter) noexcept;
  TextPart(Number, bool value) noexcept;
  template <class T>
  void write(T value) noexcept;

  // Converts a value to the type that a constructor takes.
  template <class T>
  static auto widest(T value) noexcept {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, char> ||
                  std::is_floating_point_v<T>) {
      return value;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<int64_t>(value);
    } else {
      return static_cast<uint64_t>(value);
    }
  }

  const char* data_;
  size_t size_;
  char digits_[32];
};

std::string join(const TextPart* parts, size_t count);

template <class Part>
void append(std::string& out, const Part& part) {
  if constexpr (std::is_same_v<Part, char>) {
    out.push_back(part);
  } else {
    out.append(TextPart(part).text());
  }
}

/// Concatenates its arguments: strings unchanged, numbers in decimal, doubles with enough digits to
/// read back.
template <class... Parts>
std::string concat(const Parts&... parts) {
  const TextPart all[] = {TextPart(parts)...};
  return join(all, sizeof...(parts));
}

}  // namespace tenon::base
