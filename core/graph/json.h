// SPDX-License-Identifier: Apache-2.0
// Json: the subset of JSON that headers of safetensors files use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::graph {

/// Reads one text from front to back. Throws TENON_ERROR_PARSE if it is malformed.
class Json {
 public:
  explicit Json(std::string_view text) noexcept : text_(text) {}

  /// Calls `member(key)` for each member of an object; the callback reads the value.
  template <class Member>
  void object(Member&& member) {
    expect('{');
    if (accept('}')) return;
    do {
      const std::string key = string();
      expect(':');
      member(key);
    } while (accept(','));
    expect('}');
  }
  std::string string();
  /// Reads an array of at most `most` numbers from 0 to 2^63 - 1.
  std::vector<int64_t> naturals(size_t most);
  void expect_end();

 private:
  [[noreturn]] void fail_expected(std::string_view what) const;
  char peek() noexcept;
  bool accept(char character) noexcept;
  void expect(char character);
  void append_escape(std::string* out);
  uint32_t hex4();

  const std::string_view text_;
  size_t at_ = 0;
};

/// Returns the text as a JSON string, with quotes.
std::string json_quoted(std::string_view text);

}  // namespace tenon::graph
