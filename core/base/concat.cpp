// SPDX-License-Identifier: Apache-2.0
#include "base/concat.h"

#include <cstring>

namespace tenon::base {

TextPart::TextPart(const char* text) noexcept
    : data_(text != nullptr ? text : "(null)"), size_(std::strlen(data_)) {}

template <class T>
void TextPart::write(T value) noexcept {
  data_ = digits_;
  size_ =
      static_cast<size_t>(std::to_chars(digits_, digits_ + sizeof digits_, value).ptr - digits_);
}

TextPart::TextPart(Number, int64_t value) noexcept { write(value); }
TextPart::TextPart(Number, uint64_t value) noexcept { write(value); }
TextPart::TextPart(Number, float value) noexcept { write(value); }
TextPart::TextPart(Number, double value) noexcept { write(value); }
TextPart::TextPart(Number, char letter) noexcept : data_(digits_), size_(1) { digits_[0] = letter; }
TextPart::TextPart(Number, bool value) noexcept : TextPart(value ? "true" : "false") {}

std::string join(const TextPart* parts, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; ++i) size += parts[i].text().size();
  std::string text;
  text.reserve(size);
  for (size_t i = 0; i < count; ++i) text.append(parts[i].text());
  return text;
}

}  // namespace tenon::base
