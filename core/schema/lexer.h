// SPDX-License-Identifier: Apache-2.0
// Splits schema text into tokens, and reports errors with their position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::schema {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kNumber,    // without sign
  kString,    // with quotes
  kArrow,     // ->
  kDots,      // ...
  kColons,    // ::
  kCharacter  // any of ()[]{}*!|?,.=-+
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  size_t position = 0;

  bool is(char character) const {
    return kind == TokenKind::kCharacter && text.front() == character;
  }
};

/// Reads a text token by token, with one token of lookahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& current() const { return current_; }
  const Token& following() const { return following_; }
  Token next();

  /// Consumes the current token if it is that character.
  bool accept(char character);
  bool accept(TokenKind kind);
  Token expect(char character);
  /// Consumes and returns a token of this kind. Otherwise throws TENON_ERROR_PARSE with a message
  /// that names the expected token by `what`, such as "an argument name".
  Token expect(TokenKind kind, std::string_view what);

  /// Sets the operator's name, with which all later error messages begin. The texts are borrowed.
  void set_subject(std::string_view name, std::string_view overload) {
    name_ = name;
    overload_ = overload;
  }

  /// Throws TENON_ERROR_PARSE with "<subject>: <message>, at line.., column ..", the text and a
  /// caret.
  [[noreturn]] void fail_at(size_t position, std::string_view message) const;
  [[noreturn]] void fail_at(const Token& token, std::string_view message) const;
  [[noreturn]] void fail_unexpected(std::string_view expected) const;

 private:
  Token scan();
  Token scan_number(size_t begin);
  Token scan_string(size_t begin);
  Token make(TokenKind kind, size_t begin, size_t end);

  std::string_view text_;
  size_t position_ = 0;
  std::string_view name_ = "schema";
  std::string_view overload_;
  Token current_;
  Token following_;
};

/// Replaces the escapes of a string token and removes its quotes. On a bad escape returns false and
/// sets `bad` to its offset in the token.
bool unescape(std::string_view token, std::string& out, size_t& bad);

}  // namespace tenon::schema
