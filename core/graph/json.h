// SPDX-License-Identifier: Apache-2.0
// Json: as much of JSON as headers of safetensors files have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::graph {

/// Reads one text from front to back; throws TENON_ERROR_PARSE where it is malformed.
class Json {
 public:
  explicit Json(std::string_view text) noexcept : text_(text) {}

  /// Calls `member(key)` for each member of an object; it reads the value.
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
  /// An array of numbers from 0 to 2^63 - 1, at most `most`.
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

/// The text as a JSON string, quotes included.
std::string json_quoted(std::string_view text);

}  // namespace tenon::graph
