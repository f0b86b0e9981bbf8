// SPDX-License-Identifier: Apache-2.0
#include "graph/json.h"

#include <charconv>

#include "base/check.h"

namespace tenon::graph {

namespace {

void append_utf8(std::string* out, uint32_t code) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xc0 | code >> 6);
    *out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *out += static_cast<char>(0xe0 | code >> 12);
    *out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    *out += static_cast<char>(0xf0 | code >> 18);
    *out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    *out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

void Json::fail_expected(std::string_view what) const {
  fail(TENON_ERROR_PARSE, "tenon_graph_read: header must contain ", what, " at byte ", at_);
}

char Json::peek() noexcept {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Json::accept(char character) noexcept {
  if (peek() != character) return false;
  ++at_;
  return true;
}

void Json::expect(char character) {
  if (!accept(character)) fail_expected(base::concat('\'', character, '\''));
}

void Json::expect_end() {
  if (peek() != '\0' || at_ != text_.size()) fail_expected("the end of the header");
}

uint32_t Json::hex4() {
  uint32_t code = 0;
  const char* begin = text_.data() + at_;
  if (text_.size() - at_ < 4) fail_expected("four digits");
  const auto [end, error] = std::from_chars(begin, begin + 4, code, 16);
  if (error != std::errc() || end != begin + 4) fail_expected("four digits");
  at_ += 4;
  return code;
}

void Json::append_escape(std::string* out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = at_ < text_.size() ? text_[at_++] : '\0';
  if (letter != 'u') {
    const size_t which = kLetters.find(letter);
    if (letter == '\0' || which == std::string_view::npos) fail_expected("an escape");
    *out += kMeanings[which];
    return;
  }
  uint32_t code = hex4();
  if (code >= 0xd800 && code < 0xdc00) {
    if (text_.substr(at_, 2) != "\\u") fail_expected("the second half of a surrogate pair");
    at_ += 2;
    const uint32_t low = hex4();
    if (low < 0xdc00 || low > 0xdfff) fail_expected("the second half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code <= 0xdfff) {
    fail_expected("the first half of a surrogate pair");
  }
  append_utf8(out, code);
}

std::string Json::string() {
  expect('"');
  std::string text;
  while (true) {
    if (at_ == text_.size()) fail_expected("the closing quote of a string");
    const char c = text_[at_++];
    if (c == '"') return text;
    if (static_cast<unsigned char>(c) < 0x20) fail_expected("no control character in a string");
    if (c == '\\') {
      append_escape(&text);
    } else {
      text += c;
    }
  }
}

std::vector<int64_t> Json::naturals(size_t most) {
  std::vector<int64_t> numbers;
  expect('[');
  if (accept(']')) return numbers;
  do {
    peek();
    int64_t number = -1;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc() || number < 0) fail_expected("a nonnegative integer");
    at_ += static_cast<size_t>(end - begin);
    if (numbers.size() == most) fail_expected(base::concat("at most ", most, " numbers"));
    numbers.push_back(number);
  } while (accept(','));
  expect(']');
  return numbers;
}

std::string json_quoted(std::string_view text) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += "\\u00";
      quoted += kHex[static_cast<unsigned char>(c) >> 4];
      quoted += kHex[c & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace tenon::graph
