// SPDX-License-Identifier: Apache-2.0
#include "graph/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/value_conversion.h"
#include "tensor/device.h"
#include "tensor/dtype.h"

namespace tenon::graph {

namespace {

constexpr int kMostNested = 100;  // lists in lists

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}
bool is_operator(char c) { return is_word(c) || c == ':' || c == '.'; }
bool is_device(char c) { return is_word(c) || c == ':'; }

std::optional<int64_t> memory_format(std::string_view name) {
  if (name == "contiguous_format") return TENON_MEMORY_FORMAT_CONTIGUOUS;
  if (name == "preserve_format") return TENON_MEMORY_FORMAT_PRESERVE;
  if (name == "channels_last") return TENON_MEMORY_FORMAT_CHANNELS_LAST;
  if (name == "channels_last_3d") return TENON_MEMORY_FORMAT_CHANNELS_LAST_3D;
  return std::nullopt;
}

bool all_are(std::span<const tenon_value> values, uint16_t tag) {
  return std::all_of(values.begin(), values.end(),
                     [tag](const tenon_value& each) { return each.tag == tag; });
}

}  // namespace

void Cursor::fail_expected(std::string_view what) const {
  const std::string_view there = line_.substr(std::min(at_, line_.size()), 24);
  fail(TENON_ERROR_PARSE, "tenon_graph_parse: line ", number_, ", column ", at_ + 1,
       " must contain ", what, ", got ",
       there.empty() ? "the end" : base::concat('\'', there, '\''));
}

char Cursor::peek() noexcept {
  while (at_ < line_.size() && line_[at_] == ' ') ++at_;
  return at_ < line_.size() ? line_[at_] : '\0';
}

bool Cursor::accept(char character) noexcept {
  if (peek() != character) return false;
  ++at_;
  return true;
}

void Cursor::expect(char character) {
  if (!accept(character)) fail_expected(base::concat('\'', character, '\''));
}

void Cursor::expect_end() {
  if (!at_end()) fail_expected("the end of the line");
}

std::string_view Cursor::take_while(bool (*holds)(char)) noexcept {
  peek();
  const size_t begin = at_;
  while (at_ < line_.size() && holds(line_[at_])) ++at_;
  return line_.substr(begin, at_ - begin);
}

std::string_view Cursor::peek_word() noexcept {
  peek();
  const size_t before = at_;
  const std::string_view word = take_while(&is_word);
  at_ = before;
  return word;
}

bool Cursor::accept_text(std::string_view text) noexcept {
  peek();
  if (line_.substr(at_, text.size()) != text) return false;
  at_ += text.size();
  return true;
}

bool Cursor::skip_plain_list() noexcept {
  bool is_plain = true;
  while (at_ < line_.size() && line_[at_] != ']') {
    const char c = line_[at_++];
    is_plain = is_plain && (is_digit(c) || c == ',' || c == ' ');
  }
  if (at_ < line_.size()) ++at_;
  return is_plain;
}

bool Cursor::accept_word(std::string_view word) noexcept {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

std::string_view Cursor::word(std::string_view what) {
  if (peek_word().empty()) fail_expected(what);
  return take_while(&is_word);
}

std::string_view Cursor::accept_name() noexcept {
  const std::string_view name = peek_word();
  if (name.empty() || at_ + name.size() >= line_.size() || line_[at_ + name.size()] != '=') {
    return {};
  }
  at_ += name.size() + 1;
  return name;
}

std::string_view Cursor::operator_name() { return take_while(&is_operator); }
std::string_view Cursor::device_word() { return take_while(&is_device); }

std::string_view Cursor::rest() noexcept {
  peek();
  const std::string_view rest = line_.substr(at_);
  at_ = line_.size();
  return rest;
}

int64_t Cursor::natural(std::string_view what) {
  peek();
  const size_t before = at_;
  const std::string_view digits = take_while(&is_digit);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || number > UINT32_MAX) {
    at_ = before;
    fail_expected(what);
  }
  return number;
}

// Reads a number. A sign belongs to it only at its beginning and after an 'e': "1.0-2.0j" has two
// numbers.
std::string_view Cursor::number() noexcept {
  peek();
  const size_t begin = at_;
  if (at_ < line_.size() && (line_[at_] == '-' || line_[at_] == '+')) ++at_;
  while (at_ < line_.size()) {
    const char c = line_[at_];
    const bool sign = (c == '-' || c == '+') && line_[at_ - 1] == 'e';
    if (!sign && c != '.' && (!is_word(c) || c == 'j')) break;
    ++at_;
  }
  return line_.substr(begin, at_ - begin);
}

tenon_value Literals::read(Cursor& cursor, const schema::Type& type, int32_t list_size) {
  const tenon_value given = read_any(cursor);
  if (dispatch::value_matches(given, type)) return given;
  std::optional<value::OwnedValue> converted = dispatch::convert_value(given, type, list_size);
  if (!converted) return given;  // a reference, or a value that append() refuses
  converted_.push_back(std::move(*converted));
  return converted_.back().get();
}

tenon_value Literals::read_any(Cursor& cursor, int depth) {
  if (depth == kMostNested) cursor.fail_expected("lists that nest less deeply");
  switch (cursor.peek()) {
    case '%':
      cursor.expect('%');
      return tenon_value_of_number(TENON_TAG_REF, cursor.natural("the number of a value"));
    case '[':
      cursor.expect('[');
      return read_list(cursor, ']', TENON_TAG_LIST, depth);
    case '(':
      cursor.expect('(');
      return read_parenthesis(cursor, depth);
    case '{':
      cursor.expect('{');
      return read_dict(cursor, depth);
    case '\'':
      return read_text(cursor);
    default:
      break;
  }
  const char first = cursor.peek();
  const std::string_view word = cursor.peek_word();
  const bool is_number = is_digit(first) || first == '-' || word == "inf" || word == "nan";
  return is_number ? read_number(cursor) : read_word(cursor);
}

tenon_value Literals::read_number(Cursor& cursor) {
  const Cursor before = cursor;
  const std::string_view text = cursor.number();
  const char* const end = text.data() + text.size();
  int64_t number = 0;
  const auto as_int = std::from_chars(text.data(), end, number);
  if (as_int.ec == std::errc() && as_int.ptr == end) return tenon_value_of_int(number);
  double real = 0;
  const bool plus = !text.empty() && text.front() == '+';  // from_chars takes '-' alone
  const auto as_float = std::from_chars(text.data() + plus, end, real);
  if (text.empty() || as_float.ec != std::errc() || as_float.ptr != end) {
    before.fail_expected("a number");
  }
  return tenon_value_of_float(real);
}

tenon_value Literals::read_word(Cursor& cursor) {
  const Cursor before = cursor;
  const std::string_view word = cursor.device_word();
  if (word == "None") return tenon_value_of_none();
  if (word == "True" || word == "False") return tenon_value_of_bool(word == "True");
  if (word == "strided") return tenon_value_of_layout(TENON_LAYOUT_STRIDED);
  if (word == "Tensor") {
    cursor.expect('(');
    if (!cursor.accept_word("undefined")) cursor.fail_expected("undefined");
    cursor.expect(')');
    return tenon_value_of_tensor(tensor::Tensor::undefined());
  }
  const tenon_dtype dtype = tensor::find_dtype(word);
  if (dtype != TENON_DTYPE_NONE) return tenon_value_of_dtype(dtype);
  if (const auto format = memory_format(word)) return tenon_value_of_memory_format(*format);
  if (word.empty()) before.fail_expected("a value");
  return tenon_value_of_device(tensor::parse_device(word));
}

tenon_value Literals::read_text(Cursor& cursor) {
  const Cursor before = cursor;
  cursor.expect('\'');
  std::string text;
  for (char c = cursor.take(); c != '\''; c = cursor.take()) {
    if (c == '\0') before.fail_expected("a string with its closing quote");
    if (c != '\\') {
      text += c;
      continue;
    }
    c = cursor.take();
    if (c == 'n' || c == 't') {
      text += c == 'n' ? '\n' : '\t';
    } else if (c == 'x') {
      const char digits[2] = {cursor.take(), cursor.take()};
      unsigned code = 0;
      const auto [end, error] = std::from_chars(digits, digits + 2, code, 16);
      if (error != std::errc() || end != digits + 2) before.fail_expected("\\x and two digits");
      text += static_cast<char>(code);
    } else {
      text += c;
    }
  }
  char* copy = arena_.make<char>(text.size() + 1);
  std::memcpy(copy, text.data(), text.size());
  return tenon_value_of_string(copy, static_cast<uint32_t>(text.size()));
}

tenon_value Literals::list_of(std::span<const tenon_value> elements, uint16_t tag) {
  const auto count = static_cast<uint32_t>(elements.size());
  if (tag == TENON_TAG_LIST && count != 0) {
    if (all_are(elements, TENON_TAG_INT)) {
      auto* numbers = arena_.make<int64_t>(count);
      for (uint32_t i = 0; i < count; ++i) numbers[i] = elements[i].as.i;
      return tenon_value_of_ints(numbers, count);
    }
    if (all_are(elements, TENON_TAG_FLOAT)) {
      auto* numbers = arena_.make<double>(count);
      for (uint32_t i = 0; i < count; ++i) numbers[i] = elements[i].as.f;
      return tenon_value_of_floats(numbers, count);
    }
    if (all_are(elements, TENON_TAG_BOOL)) {
      auto* truths = arena_.make<uint8_t>(count);
      for (uint32_t i = 0; i < count; ++i) truths[i] = elements[i].as.i != 0;
      return tenon_value_of_bools(truths, count);
    }
  }
  return tenon_value_of_elements(tag, arena_.copy(elements),
                                 tag == TENON_TAG_DICT ? count / 2 : count);
}

tenon_value Literals::read_list(Cursor& cursor, char end, uint16_t tag, int depth) {
  std::vector<tenon_value> elements;
  while (!cursor.accept(end)) {
    elements.push_back(read_any(cursor, depth + 1));
    if (!cursor.accept(',')) {
      cursor.expect(end);
      break;
    }
  }
  return list_of(elements, tag);
}

tenon_value Literals::read_dict(Cursor& cursor, int depth) {
  std::vector<tenon_value> elements;
  while (!cursor.accept('}')) {
    elements.push_back(read_any(cursor, depth + 1));
    cursor.expect(':');
    elements.push_back(read_any(cursor, depth + 1));
    if (!cursor.accept(',')) {
      cursor.expect('}');
      break;
    }
  }
  return list_of(elements, TENON_TAG_DICT);
}

// Reads a tuple, or a complex number: "(1.0+2.0j)".
tenon_value Literals::read_parenthesis(Cursor& cursor, int depth) {
  Cursor trial = cursor;
  const std::string_view real = trial.number();
  const char sign = trial.peek();
  if (!real.empty() && (sign == '+' || sign == '-')) {
    tenon_value first = read_number(cursor), second = read_number(cursor);
    const bool floats = first.tag == TENON_TAG_FLOAT && second.tag == TENON_TAG_FLOAT;
    if (!floats || !cursor.accept('j')) cursor.fail_expected("a complex number");
    cursor.expect(')');
    return tenon_value_of_complex(first.as.f, second.as.f);
  }
  return read_list(cursor, ')', TENON_TAG_TUPLE, depth);
}

}  // namespace tenon::graph
