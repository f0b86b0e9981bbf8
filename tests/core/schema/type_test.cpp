// SPDX-License-Identifier: Apache-2.0
// Tests of types: identity, lowering and subtypes.
#include "schema/type.h"

#include <gtest/gtest.h>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

TEST(Type, EqualTypes_AreOneObject) {
  EXPECT_EQ(parse_type("Dict(str, Tensor?[])[]?"), parse_type(" Dict(str,Tensor?[ ])[]?"));
  EXPECT_NE(parse_type("int[]?"), parse_type("int?[]"));
  EXPECT_EQ(parse_type("int??"), parse_type("int?"));
  EXPECT_EQ(parse_type("Union(Tensor, None)"), parse_type("Tensor?"));
  EXPECT_EQ(parse_type("Union(int, int)"), parse_type("int"));
  EXPECT_NE(class_type("t"), variable_type("t"));
}

TEST(Type, Text_IsHowItPrints) {
  EXPECT_STREQ(parse_type("Dict(str,(int,Tensor?))[]")->text.c_str(),
               "Dict(str, (int, Tensor?))[]");
  EXPECT_STREQ(parse_type("Union(int,str,int)")->text.c_str(), "Union(int, str)");
}

TEST(Type, Lowered_ForgetsWhatKernelsCannotSee) {
  EXPECT_EQ(lowered_type(parse_type("(SymInt[], ScalarType?, Tensor)")),
            parse_type("(int[], int?, Tensor)"));
  EXPECT_EQ(lowered_type(parse_type("Dict(str, SymFloat)")), parse_type("Dict(str, float)"));
  EXPECT_EQ(lowered_type(parse_type("Future(SymBool)")), parse_type("Future(bool)"));
  EXPECT_EQ(lowered_type(parse_type("Union(SymInt, Tensor, str)")),
            parse_type("Union(int, Tensor, str)"));
}

TEST(Type, Subtypes) {
  const auto below = [](const char* a, const char* b) {
    return is_subtype(parse_type(a), parse_type(b));
  };
  EXPECT_TRUE(below("int", "int"));
  EXPECT_TRUE(below("int", "Scalar"));
  EXPECT_FALSE(below("bool", "Scalar"));
  EXPECT_FALSE(below("Scalar", "int"));
  EXPECT_TRUE(below("int", "int?"));
  EXPECT_TRUE(below("None", "int?"));
  EXPECT_TRUE(below("int?", "Scalar?"));
  EXPECT_FALSE(below("int?", "int"));
  EXPECT_TRUE(below("int?", "Any"));
  EXPECT_FALSE(below("Any", "int"));
  EXPECT_FALSE(below("int[]", "Scalar[]"));
  EXPECT_TRUE(below("(int, Tensor)", "(Scalar, Tensor?)"));
  EXPECT_FALSE(below("(int, Tensor)", "(Scalar)"));
  EXPECT_TRUE(below("Union(int, float)", "Scalar"));
  EXPECT_TRUE(below("str", "Union(int, str)"));
  EXPECT_FALSE(below("Union(int, str)", "str"));
  EXPECT_TRUE(below("Future(int)", "Future(Scalar)"));
  EXPECT_FALSE(below("Future(int)", "RRef(int)"));
}

}  // namespace
}  // namespace tenon::schema
