// SPDX-License-Identifier: Apache-2.0
// Literals: values in the text of a graph, and a cursor over one line of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "graph/arena.h"
#include "schema/type.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::graph {

/// Reads one line piece by piece; blanks between pieces are skipped.
class Cursor {
 public:
  Cursor(std::string_view line, size_t number) noexcept : line_(line), number_(number) {}

  /// Throws TENON_ERROR_PARSE with the line, the column, and what was expected and found.
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// Returns the next character that is not blank; '\0' at the end.
  char peek() noexcept;
  /// Returns the next character, blanks included, and skips it.
  char take() noexcept { return at_ < line_.size() ? line_[at_++] : '\0'; }
  bool at_end() noexcept { return peek() == '\0'; }
  bool accept(char character) noexcept;
  void expect(char character);
  void expect_end();
  /// Skips a text if it comes next.
  bool accept_text(std::string_view text) noexcept;
  /// Skips a word if it comes next.
  bool accept_word(std::string_view word) noexcept;
  std::string_view peek_word() noexcept;
  std::string_view word(std::string_view what);
  /// Reads "alpha" of "alpha=2"; "" unless a name with a value comes next.
  std::string_view accept_name() noexcept;
  /// Reads up to the parenthesis.
  std::string_view operator_name();
  /// Reads a device, such as "cuda:0".
  std::string_view device_word();
  std::string_view rest() noexcept;
  /// Skips to after the next ']'. Returns false if what was skipped is not a list of plain numbers.
  bool skip_plain_list() noexcept;
  int64_t natural(std::string_view what);
  /// Reads the text of a number, with its sign.
  std::string_view number() noexcept;

 private:
  std::string_view take_while(bool (*holds)(char)) noexcept;

  const std::string_view line_;
  const size_t number_;
  size_t at_ = 0;
};

/// Reads values, and owns the memory of those that it has returned.
class Literals {
 public:
  /// Reads a value of a type, converted if nothing is lost.
  tenon_value read(Cursor& cursor, const schema::Type& type, int32_t list_size);
  /// Reads a value of any type: references, numbers, texts, lists.
  tenon_value read_any(Cursor& cursor, int depth = 0);

 private:
  tenon_value read_list(Cursor& cursor, char end, uint16_t tag, int depth);
  tenon_value read_dict(Cursor& cursor, int depth);
  tenon_value read_text(Cursor& cursor);
  tenon_value read_number(Cursor& cursor);
  tenon_value read_word(Cursor& cursor);
  tenon_value read_parenthesis(Cursor& cursor, int depth);
  tenon_value list_of(std::span<const tenon_value> elements, uint16_t tag);

  Arena arena_;
  std::vector<value::OwnedValue> converted_;
};

}  // namespace tenon::graph
