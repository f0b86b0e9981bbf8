// SPDX-License-Identifier: Apache-2.0
// Tests of queries about aliasing.
#include "schema/alias.h"

#include <gtest/gtest.h>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

constexpr SchemaPosition argument(int64_t index) { return {SchemaPosition::kArgument, index}; }
constexpr SchemaPosition result(int64_t index) { return {SchemaPosition::kReturn, index}; }

TEST(Alias, Item103_AnnotatedAndWritten) {
  const SchemaPtr sub = parse_schema(
      "aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> (Tensor(a!))");
  EXPECT_TRUE(is_aliasing(*sub, argument(0)));
  EXPECT_FALSE(is_aliasing(*sub, argument(1)));
  EXPECT_TRUE(is_aliasing(*sub, result(0)));
  EXPECT_TRUE(is_mutable(*sub, argument(0)));
  EXPECT_FALSE(is_mutable(*sub, argument(2)));
  EXPECT_TRUE(is_mutable(*sub, "self"));
  EXPECT_FALSE(is_mutable(*sub, "other"));
  EXPECT_TRUE(sub->is_mutable());
}

// item 103, same: Which arguments and returns are annotated, written, may be the same memory or may
// hold the same, wildcard and containers included
TEST(Alias, Item103_MayAlias) {
  const SchemaPtr sub = parse_schema(
      "aten::sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> (Tensor(a!))");
  EXPECT_TRUE(may_alias(*sub, argument(0), result(0)));
  EXPECT_FALSE(may_alias(*sub, argument(1), result(0)));
  EXPECT_FALSE(may_alias(*sub, argument(0), argument(1)));

  const SchemaPtr sets = parse_schema("f(Tensor(a) x, Tensor(b) y, int(a) n) -> Tensor(a|b)");
  EXPECT_TRUE(may_alias(*sets, argument(0), result(0)));
  EXPECT_TRUE(may_alias(*sets, argument(1), result(0)));
  EXPECT_FALSE(may_alias(*sets, argument(0), argument(1)));
  EXPECT_FALSE(may_alias(*sets, argument(2), result(0)));  // an int has no memory

  const SchemaPtr optional = parse_schema("f(Tensor(a)? x) -> Tensor(a)");
  EXPECT_TRUE(may_alias(*optional, argument(0), result(0)));
}

TEST(Alias, Item103_MayContainAlias) {
  const SchemaPtr list = parse_schema("f(Tensor(a)[] x, Tensor(b) y, str[] z) -> Tensor(a)[]");
  EXPECT_FALSE(may_alias(*list, argument(0), result(0)));
  EXPECT_TRUE(may_contain_alias(*list, argument(0), result(0)));
  EXPECT_FALSE(may_contain_alias(*list, argument(1), result(0)));
  EXPECT_FALSE(may_contain_alias(*list, argument(2), result(0)));

  // A value that enters the wildcard set may be in any container of its type.
  const SchemaPtr wild = parse_schema("f(Tensor(a -> *) x) -> Tensor[]");
  EXPECT_TRUE(may_contain_alias(*wild, result(0), argument(0), false));
  EXPECT_FALSE(may_contain_alias(*wild, argument(0), result(0), false));
  EXPECT_TRUE(may_contain_alias(*wild, argument(0), result(0), true));

  const SchemaPtr tuple = parse_schema("f((Tensor, int) x, (Tensor, str) y, (int, int) z) -> ()");
  EXPECT_TRUE(may_contain_alias(*tuple, argument(0), argument(1)));
  EXPECT_FALSE(may_contain_alias(*tuple, argument(0), argument(2)));
}

// item 104, same: A bad position or name in those questions is an error
TEST(Alias, Item104_BadPlaces_AreErrors) {
  const SchemaPtr schema = parse_schema("ns::f(Tensor x) -> Tensor");
  EXPECT_THROW(is_aliasing(*schema, argument(1)), Error);
  EXPECT_THROW(is_mutable(*schema, argument(-1)), Error);
  EXPECT_THROW(may_alias(*schema, argument(0), result(1)), Error);
  EXPECT_THROW(may_contain_alias(*schema, argument(3), result(0)), Error);
  try {
    is_mutable(*schema, "y");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_NOT_FOUND);
    EXPECT_STREQ(error.what(), "ns::f: argument name must be one of the schema's, got 'y'");
  }
}

TEST(Alias, Item105_FunctionalSchemas) {
  const auto functional = [](const char* text) { return parse_schema(text)->is_functional(); };
  EXPECT_TRUE(functional("f(Tensor x) -> Tensor"));
  EXPECT_TRUE(functional("f(Tensor x) -> (Tensor, int)"));
  EXPECT_TRUE(functional("f(Tensor[] x) -> Tensor[]"));
  EXPECT_FALSE(functional("f(Tensor x) -> ()"));
  EXPECT_FALSE(functional("f(Tensor(a!) x) -> Tensor"));
  EXPECT_FALSE(functional("f(Tensor(a) x) -> Tensor(a)"));
  EXPECT_FALSE(functional("f(Tensor(a!)[] x) -> int"));
  EXPECT_FALSE(functional("f(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"));
}

}  // namespace
}  // namespace tenon::schema
