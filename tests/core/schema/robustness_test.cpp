// SPDX-License-Identifier: Apache-2.0
// Any text must either be parsed to a schema that prints and parses to an equal one, or raise a
// parse error; it must never crash.
#include <gtest/gtest.h>

#include <random>

#include "base/live_count.h"
#include "schema_testing.h"

namespace tenon::schema {
namespace {

// Parses the text; if that succeeds, the printed schema must parse to an equal schema with the same
// text.
void check(const std::string& text) {
  SchemaPtr schema;
  try {
    schema = parse_schema(text);
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), TENON_ERROR_PARSE) << text;
    return;
  }
  const std::string printed = schema->text();
  try {
    const SchemaPtr again = parse_schema(printed);
    ASSERT_TRUE(*again == *schema) << text << "\n" << printed;
    ASSERT_EQ(again->text(), printed);
    ASSERT_EQ(again->hash(), schema->hash());
  } catch (const Error& error) {
    FAIL() << text << "\nprinted as\n" << printed << "\n" << error.what();
  }
}

TEST(Robustness, EveryPrefix_OfManySchemas) {
  const auto lines = testing::read_lines("pytorch.txt");
  for (size_t i = 0; i < lines.size(); i += 97) {
    for (size_t size = 0; size < lines[i].size(); ++size) check(lines[i].substr(0, size));
  }
}

TEST(Robustness, RandomChanges_OfManySchemas) {
  const auto lines = testing::read_lines("pytorch.txt");
  const std::string_view pieces[] = {
      "(",      ")",      "[",   "]",    "?",      "!",     "*",    ",",
      "=",      "|",      "->",  "...",  "::",     ".",     "-",    "1",
      "0x",     "1.",     "e5",  "j",    "'",      "\"",    "\\",   "None",
      "True",   "inf",    "nan", "int",  "Tensor", "float", "str",  "Dict(",
      "Union(", "(a!)",   "[2]", "[]",   " ",      "\n",    "\xff", std::string_view("\0", 1),
      "SymInt", "Device", "=1",  "=None"};
  std::mt19937 random(20240607);
  for (int i = 0; i < 40'000; ++i) {
    std::string text = lines[random() % lines.size()];
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const size_t at = random() % (text.size() + 1);
      const auto piece = pieces[random() % std::size(pieces)];
      switch (random() % 3) {
        case 0:
          text.insert(at, piece);
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        default:
          text.replace(at, std::min<size_t>(piece.size(), text.size() - at), piece);
      }
    }
    check(text);
    if (HasFatalFailure()) return;
  }
}

TEST(Robustness, RandomTokens) {
  const std::string_view tokens[] = {
      "f",      "(",    ")",      "Tensor", "int",     "float",  "str", "(a!)",
      "[]",     "[2]",  "?",      " x",     " y",      ",",      "=1",  "=None",
      "=[1]",   "=1.5", "='s'",   "*",      "...",     "-> ",    "()",  "Dict(",
      "Union(", "bool", "Scalar", "SymInt", "complex", "Device", "=2j", "=-inf"};
  std::mt19937 random(7);
  for (int i = 0; i < 40'000; ++i) {
    std::string text = "f(";
    for (unsigned n = random() % 12; n > 0; --n) text += tokens[random() % std::size(tokens)];
    text += ") -> ";
    for (unsigned n = random() % 4; n > 0; --n) text += tokens[random() % std::size(tokens)];
    check(text);
    if (HasFatalFailure()) return;
  }
}

TEST(Robustness, FailedParse_LeavesNoSchemaBehind) {
  const int64_t before = base::live_count(TENON_HANDLE_SCHEMA);
  for (int i = 0; i < 10'000; ++i)
    check("ns::f(Tensor(a!)[] x, int[2] y=1, str z=\"q\") -> Tensor(");
  EXPECT_EQ(base::live_count(TENON_HANDLE_SCHEMA), before);
}

}  // namespace
}  // namespace tenon::schema
