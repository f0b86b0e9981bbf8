// SPDX-License-Identifier: Apache-2.0
// Splits schema text into tokens, and reports errors with their position.
#include "schema/lexer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/concat.h"
#include "base/utf8.h"

namespace tenon::schema {
namespace {

enum CharacterClass : uint8_t { kOther, kSpace, kDigit, kLetter, kPunctuation };

// A separate table, because the functions of <cctype> depend on the locale.
constexpr auto kClasses = [] {
  std::array<CharacterClass, 256> classes = {};
  for (int c = '\t'; c <= '\r'; ++c) classes[c] = kSpace;
  classes[' '] = kSpace;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kLetter;
  classes['_'] = kLetter;
  for (const char c : std::string_view("()[]{}*!|?,.=-+:")) {
    classes[static_cast<unsigned char>(c)] = kPunctuation;
  }
  return classes;
}();

CharacterClass class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return class_of(c) == kDigit; }
bool is_letter(char c) { return class_of(c) == kLetter; }
bool is_space(char c) { return class_of(c) == kSpace; }

// Returns true if a cut before this byte would split a UTF-8 character.
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  size_t longest = 40;
  if (token.text.size() > longest) {
    while (longest > 0 && continues_character(token.text[longest])) --longest;
    return base::concat(token.text.substr(0, longest), "...");
  }
  return base::concat('\'', token.text, '\'');
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
  // The message does not quote the text, because messages must be UTF-8.
  TENON_CHECK(base::is_utf8(text), TENON_ERROR_PARSE,
              "schema: text must be UTF-8, got other bytes");
  current_ = scan();
  following_ = scan();
}

Token Lexer::make(TokenKind kind, size_t begin, size_t end) {
  position_ = end;
  return {kind, text_.substr(begin, end - begin), begin};
}

Token Lexer::scan() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  const size_t begin = position_;
  if (begin == text_.size()) return make(TokenKind::kEnd, begin, begin);
  const std::string_view rest = text_.substr(begin);
  const char first = rest.front();
  if (is_letter(first)) {
    size_t end = begin + 1;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return make(TokenKind::kIdentifier, begin, end);
  }
  if (is_digit(first) || (first == '.' && rest.size() > 1 && is_digit(rest[1]))) {
    return scan_number(begin);
  }
  if (first == '"' || first == '\'') return scan_string(begin);
  if (first == '-' && rest.starts_with("->")) return make(TokenKind::kArrow, begin, begin + 2);
  if (first == '.' && rest.starts_with("...")) return make(TokenKind::kDots, begin, begin + 3);
  if (first == ':' && rest.starts_with("::")) return make(TokenKind::kColons, begin, begin + 2);
  if (class_of(first) == kPunctuation) return make(TokenKind::kCharacter, begin, begin + 1);
  fail_at(begin, "unexpected character in a schema");
}

Token Lexer::scan_number(size_t begin) {
  size_t end = begin;
  const auto digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  const bool hex = text_.substr(begin).starts_with("0x") || text_.substr(begin).starts_with("0X");
  if (hex) {
    end += 2;
    while (end < text_.size() &&
           (is_digit(text_[end]) || (text_[end] >= 'a' && text_[end] <= 'f') ||
            (text_[end] >= 'A' && text_[end] <= 'F'))) {
      ++end;
    }
    if (end == begin + 2) fail_at(begin, "a hexadecimal number needs digits after 0x");
  } else {
    digits();
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits();
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const size_t exponent = end++;
      if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
      if (end == text_.size() || !is_digit(text_[end])) {
        fail_at(exponent, "an exponent needs digits");
      }
      digits();
    }
    if (end < text_.size() && text_[end] == 'j') ++end;
  }
  if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) {
    fail_at(begin, "a malformed number");
  }
  return make(TokenKind::kNumber, begin, end);
}

Token Lexer::scan_string(size_t begin) {
  const char quote = text_[begin];
  for (size_t i = begin + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == quote) return make(TokenKind::kString, begin, i + 1);
    if (text_[i] == '\\') ++i;
  }
  fail_at(begin, "a string without closing quote");
}

Token Lexer::next() {
  Token taken = current_;
  current_ = following_;
  following_ = scan();
  return taken;
}

bool Lexer::accept(char character) {
  if (!current_.is(character)) return false;
  next();
  return true;
}

bool Lexer::accept(TokenKind kind) {
  if (current_.kind != kind) return false;
  next();
  return true;
}

Token Lexer::expect(char character) {
  if (!current_.is(character)) fail_unexpected(base::concat('\'', character, '\''));
  return next();
}

Token Lexer::expect(TokenKind kind, std::string_view what) {
  if (current_.kind != kind) fail_unexpected(what);
  return next();
}

void Lexer::fail_unexpected(std::string_view expected) const {
  fail_at(current_, base::concat("expected ", expected, ", got ", describe(current_)));
}

void Lexer::fail_at(const Token& token, std::string_view message) const {
  fail_at(token.position, message);
}

void Lexer::fail_at(size_t position, std::string_view message) const {
  position = std::min(position, text_.size());
  size_t begin = text_.substr(0, position).rfind('\n');
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  const size_t end = std::min(text_.find('\n', position), text_.size());
  const auto line = 1 + std::count(text_.begin(), text_.begin() + begin, '\n');
  const size_t column = position - begin;

  // Shows only the part of a long line around the position.
  constexpr size_t kAround = 60;
  size_t shown_begin = column > kAround ? position - kAround : begin;
  size_t shown_end = std::min(end, position + kAround);
  while (shown_begin < position && continues_character(text_[shown_begin])) ++shown_begin;
  while (shown_end > position && shown_end < end && continues_character(text_[shown_end])) {
    --shown_end;
  }
  std::string shown = shown_begin > begin ? "..." : "";
  std::string caret(shown.size(), ' ');
  for (size_t i = shown_begin; i < shown_end; ++i) {
    const auto code = static_cast<unsigned char>(text_[i]);
    shown += code < 0x20 || code == 0x7f ? ' ' : text_[i];
    if (i < position && !continues_character(text_[i])) caret += ' ';
  }
  if (shown_end < end) shown += "...";

  std::string text =
      base::concat(name_, overload_.empty() ? "" : ".", overload_, ": ", message, ", at ");
  if (line > 1) text += base::concat("line ", line, ", ");
  fail(TENON_ERROR_PARSE,
       base::concat(text, "column ", column + 1, "\n  ", shown, "\n  ", caret, '^'));
}

bool unescape(std::string_view token, std::string& out, size_t& bad) {
  const size_t end = token.size() - 1;
  for (size_t i = 1; i < end; ++i) {
    if (token[i] != '\\') {
      out += token[i];
      continue;
    }
    bad = i++;
    constexpr std::string_view kEscaped = "\\'\"abfnrtv";
    constexpr std::string_view kPlain = "\\'\"\a\b\f\n\r\t\v";
    const size_t escape = kEscaped.find(token[i]);
    const auto is_octal = [&](size_t at) {
      return at < end && token[at] >= '0' && token[at] <= '7';
    };
    if (escape != std::string_view::npos) {
      out += kPlain[escape];
    } else if (is_octal(i) && is_octal(i + 1) && is_octal(i + 2)) {
      const int code = (token[i] - '0') * 64 + (token[i + 1] - '0') * 8 + (token[i + 2] - '0');
      if (code > 0xff) return false;
      out += static_cast<char>(code);
      i += 2;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace tenon::schema
