// SPDX-License-Identifier: Apache-2.0
// Tests of backward and forward compatibility against PyTorch's verdicts.
#include "schema/compatibility.h"

#include <gtest/gtest.h>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  size_t begin = 0;
  for (size_t tab; (tab = line.find('\t', begin)) != std::string::npos; begin = tab + 1) {
    fields.push_back(line.substr(begin, tab - begin));
  }
  fields.push_back(line.substr(begin));
  return fields;
}

// PyTorch allows removing an argument without a default; callees of the old schema would miss it.
constexpr const char* kStricterForward = "f(Tensor self, int a, int b) -> Tensor";

TEST(Compatibility, Item101And102_VerdictsAreThoseOfPyTorch) {
  const auto lines = testing::read_lines("compatibility.txt");
  EXPECT_GE(lines.size(), 60u);
  for (const std::string& line : lines) {
    const auto fields = split(line);
    ASSERT_EQ(fields.size(), 4u) << line;
    const SchemaPtr older = parse_schema(fields[0]);
    const SchemaPtr newer = parse_schema(fields[1]);
    const auto backward = backward_incompatibility(*newer, *older);
    const auto forward = forward_incompatibility(*newer, *older);
    EXPECT_EQ(!backward, fields[2] == "1") << line << "\n" << backward.value_or("compatible");
    if (fields[0] == kStricterForward && fields[1] == "f(Tensor self, int a) -> Tensor") {
      EXPECT_TRUE(forward);
      continue;
    }
    EXPECT_EQ(!forward, fields[3] == "1") << line << "\n" << forward.value_or("compatible");
  }
}

std::string backward(const char* older, const char* newer) {
  return backward_incompatibility(*parse_schema(newer), *parse_schema(older)).value_or("");
}
std::string forward(const char* older, const char* newer) {
  return forward_incompatibility(*parse_schema(newer), *parse_schema(older)).value_or("");
}

TEST(Compatibility, Reasons_NameWhatChanged) {
  EXPECT_EQ(backward("f(int a) -> ()", "g(int a) -> ()"), "the name changed from f to g");
  EXPECT_EQ(backward("f() -> ()", "f() -> int"), "the number of returns changed from 0 to 1");
  EXPECT_EQ(backward("f(int a) -> ()", "f(float a) -> ()"),
            "argument 'a': type float does not replace int");
  EXPECT_EQ(backward("f(int a=1) -> ()", "f(int a) -> ()"),
            "argument 'a': its default changed from 1 to none");
  EXPECT_EQ(backward("f(int a) -> ()", "f(*, int a) -> ()"), "argument 'a' is now keyword-only");
  EXPECT_EQ(backward("f() -> ()", "f(int x) -> ()"),
            "the new argument 'x' of type int has no default");
  EXPECT_EQ(backward("f(int a) -> ()", "f() -> ()"), "argument 'a' was removed");
  EXPECT_EQ(forward("f() -> ()", "f(int[2] x=1) -> ()"),
            "the new argument 'x' of type int[2] has a container as its default");
  EXPECT_EQ(
      forward("f(*, Tensor(a!) o) -> Tensor(a!)", "f(*, Tensor(a!) o, Tensor(b!) p) -> Tensor(a!)"),
      "the number of out arguments changed from 1 to 2");
  EXPECT_EQ(forward("f(int a) -> ()", "f(int a=1) -> ()"),
            "argument 'a' has a default, which the older schema does not know");
}

}  // namespace
}  // namespace tenon::schema
