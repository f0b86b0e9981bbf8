// SPDX-License-Identifier: Apache-2.0
// Tests of invalid schemas and of their error messages.
#include <gtest/gtest.h>

#include <algorithm>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

using testing::first_line;
using testing::parse_error;

TEST(ParserError, Message_NamesOperatorPlaceAndShowsACaret) {
  EXPECT_EQ(parse_error("ns::f.o(Tensor x y) -> ()"),
            "ns::f.o: expected ',', got 'y', at column 18\n"
            "  ns::f.o(Tensor x y) -> ()\n"
            "                   ^");
}

TEST(ParserError, SecondLine_IsShownAlone) {
  EXPECT_EQ(parse_error("f(Tensor x,\n  int8 y) -> ()").substr(0, 28),
            "f: unknown type 'int8'; comm");
  const std::string error = parse_error("f(Tensor x,\n  3 y) -> ()");
  EXPECT_EQ(error,
            "f: expected a type, got '3', at line 2, column 3\n"
            "    3 y) -> ()\n"
            "    ^");
}

TEST(ParserError, LongLine_IsCutAroundThePlace) {
  const std::string text = "f(" + std::string(500, ' ') + "?" + std::string(500, ' ') + ") -> ()";
  const std::string error = parse_error(text);
  EXPECT_LT(error.size(), 300u);
  EXPECT_NE(error.find("\n  ..."), std::string::npos);
}

// A long line is cut at any position before and after the error, but never inside a character.
TEST(ParserError, LongLine_IsCutBetweenCharacters) {
  for (size_t shift = 0; shift < 3; ++shift) {
    std::string many(shift, ' ');
    for (int i = 0; i < 60; ++i) many += "\u20ac";
    for (const std::string& text :
         {"f(str x=\"" + many + "\" y) -> ()", "f(int8 x) -> () # " + many, "f(" + many,
          "f(\"" + many + "\") -> ()"}) {
      const std::string error = parse_error(text);
      size_t whole = 0;
      for (size_t at = 0; (at = error.find("\u20ac", at)) != std::string::npos; at += 3) whole += 3;
      const auto high = static_cast<size_t>(
          std::count_if(error.begin(), error.end(), [](char c) { return (c & 0x80) != 0; }));
      EXPECT_EQ(high, whole) << error;
    }
  }
}

TEST(ParserError, Caret_CountsCharactersNotBytes) {
  const std::string error = parse_error("f(str x=\"äöü\" y) -> ()");
  const size_t caret = error.rfind('^') - error.rfind('\n') - 1;
  EXPECT_EQ(caret, 2u + std::string("f(str x=\"abc\" ").size());
}

struct Case {
  const char* text;
  const char* begins;
};

void expect_errors(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    const std::string error = first_line(parse_error(c.text));
    EXPECT_EQ(error.substr(0, std::string(c.begins).size()), c.begins) << c.text;
  }
}

TEST(ParserError, Item83_AnnotationWithoutSet) {
  expect_errors({
      {"f(Tensor(!) x) -> ()",
       "f: expected the name of an alias set or '*', got '!', at column 10"},
      {"f(Tensor(a!|b) x) -> ()", "f: expected ')', got '|'"},
      {"f(Tensor(a -> ) x) -> ()", "f: expected the name of an alias set"},
      {"f(Tensor?(a!) x) -> ()", "f: an alias annotation must come before '?'"},
      {"f(Tensor(a x) -> ()", "f: expected ')', got 'x'"},
  });
}

TEST(ParserError, UnboundSetOfAReturn) {
  expect_errors({
      {"f(Tensor(a) x) -> Tensor(b)", "f: alias set 'b' of a return is not on any argument"},
      {"f() -> Tensor(a!)", "f: alias set 'a' of a return is not on any argument"},
      {"f(Tensor(a) x) -> Tensor(b)[]", "f: alias set 'b' of a return is not on any argument"},
  });
}

TEST(ParserError, Item84_ListSizes) {
  expect_errors({
      {"f(int[2][3] x) -> ()", "f: expected an argument name, got '['"},
      {"f(int[-1] x) -> ()", "f: expected ']' or the length of the list, got '-'"},
      {"f(int[2147483648] x) -> ()", "f: the length of a list must be an int below 2^31"},
      {"f(int[1.] x) -> ()", "f: the length of a list"},
  });
}

TEST(ParserError, Item86_UnknownTypes) {
  expect_errors({
      {"f(double x) -> ()", "f: unknown type 'double': write 'float'"},
      {"f(int64_t x) -> ()", "f: unknown type 'int64_t': write 'int', or 'SymInt' for sizes"},
      {"aten::f(int64_t x) -> ()", "aten::f: unknown type 'int64_t'"},
      {"f(Tenosr x) -> ()", "f: unknown type 'Tenosr'; common types are Tensor"},
      {"f(t x) -> t", "f: unknown type 't'"},
      {"f(Future x) -> ()", "f: unknown type 'Future'"},
      {"f(Dict(str) x) -> ()", "f: Dict must have 2 type(s), got 1"},
      {"f(Future(int, int) x) -> ()", "f: Future must have 1 type(s), got 2"},
      {"f(Dict(str, Tensor(a)) x) -> ()", "f: types inside Dict must have no annotations"},
      {"f(__torch__. x) -> ()", "f: expected an argument name"},
  });
}

TEST(ParserError, Item87_OverloadNames) {
  expect_errors({
      {"f.default() -> ()", "schema: an overload must not be called 'default'"},
      {"f.__x() -> ()", "schema: an overload must not be called '__x'"},
      {"f.() -> ()", "schema: expected an overload name after '.', got '('"},
      {"a::b::c() -> ()", "a::b: expected '(': a schema must have arguments"},
      {"::f() -> ()", "schema: expected an operator name, got '::'"},
      {"", "schema: expected an operator name, got the end of the text"},
  });
}

TEST(ParserError, Item88_VarargsAndDefaults) {
  expect_errors({
      {"f(int a=1, ...) -> ()", "f: arguments before '...' must have no defaults"},
      {"f(..., int a) -> ()", "f: expected ')': nothing may follow '...'"},
      {"f() -> (..., int)", "f: expected ')': nothing may follow '...'"},
  });
}

TEST(ParserError, Item89_ArgumentWithoutDefaultAfterOneWith) {
  expect_errors(
      {{"foo(int a=1, int b) -> ()",
        "foo: argument 'b' must have a default, as 'a' before it has one, at column 18"}});
}

TEST(ParserError, Item96_NamesThatAreThereTwice) {
  expect_errors({
      {"f(int x, int x) -> ()", "f: argument 'x' appears twice, at column 14"},
      {"f(int x, *, int x) -> ()", "f: argument 'x' appears twice"},
      {"f() -> (int y, int y)", "f: return 'y' appears twice"},
      {"f(int None) -> ()", "f: 'None' cannot be an argument name"},
  });
}

TEST(ParserError, Item98_TrailingText) {
  expect_errors({
      {"f() -> () x", "f: expected the end of the schema, got 'x'"},
      {"f() -> int x y", "f: expected the end of the schema, got 'y'"},
      {"f() -> (str, int)[]", "f: expected the end of the schema, got '['"},
      {"f(int x) # note", "f: unexpected character in a schema"},
  });
}

TEST(ParserError, Item99_NameWhereASchemaIsDue) {
  expect_errors(
      {{"ns::f",
        "ns::f: expected '(': a schema must have arguments and returns, not only a name"}});
}

TEST(ParserError, Punctuation) {
  expect_errors({
      {"f(int a,) -> ()", "f: expected a type, got ')'"},
      {"f(, int a) -> ()", "f: expected a type, got ','"},
      {"f(int) -> ()", "f: expected an argument name, got ')'"},
      {"f(*, *) -> ()", "f: expected one '*' only"},
      {"f(int a)", "f: expected '->' and the returns, got the end of the text"},
      {"f(int a) -> ", "f: expected a type, got the end of the text"},
      {"f(() x) -> ()", "f: expected a type, got ')'"},
      {"f(int a -> ()", "f: expected ',', got '->'"},
  });
}

TEST(ParserError, DeepNesting_IsRefusedNotACrash) {
  std::string tuple = "f(" + std::string(100'000, '(') + "int";
  EXPECT_EQ(first_line(parse_error(tuple)).substr(0, 31), "f: types nested deeper than 32,");
  std::string lists = "f(int";
  for (int i = 0; i < 100'000; ++i) lists += "[]";
  EXPECT_EQ(first_line(parse_error(lists)).substr(0, 31), "f: types nested deeper than 32,");
  std::string futures = "f(";
  for (int i = 0; i < 100'000; ++i) futures += "Future(";
  EXPECT_EQ(first_line(parse_error(futures)).substr(0, 31), "f: types nested deeper than 32,");
}

TEST(ParserError, TooManyArguments_IsRefused) {
  std::string text = "f(";
  for (int i = 0; i < 2000; ++i) text += base::concat("int a", i, ", ");
  EXPECT_EQ(first_line(parse_error(text)).substr(0, 33), "f: expected at most 1024 argument");
}

}  // namespace
}  // namespace tenon::schema
