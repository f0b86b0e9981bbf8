// SPDX-License-Identifier: Apache-2.0
// Tests of valid schemas and of how they are printed.
#include "schema/parser.h"

#include <gtest/gtest.h>

#include "base/live_count.h"
#include "schema_testing.h"

namespace tenon::schema {
namespace {

using testing::reprint;

TEST(Parser, WholeSchema_HasItsParts) {
  const SchemaPtr schema = parse_schema(
      "vision::crop.box(Tensor(a!) self, int[4] box, *, float? scale=None, Tensor(b!) out)"
      " -> (Tensor(b!) result, int count)");
  EXPECT_STREQ(schema->name().name.c_str(), "vision::crop");
  EXPECT_STREQ(schema->name().overload.c_str(), "box");
  EXPECT_EQ(schema->name().ns(), "vision");
  EXPECT_EQ(schema->name().base(), "crop");
  EXPECT_EQ(schema->name().full(), "vision::crop.box");
  ASSERT_EQ(schema->arguments().size(), 4u);
  const Argument& box = schema->arguments()[1];
  EXPECT_STREQ(box.name.c_str(), "box");
  EXPECT_EQ(box.type, list_type(simple_type(TENON_TYPE_INT)));
  EXPECT_EQ(box.list_size, 4);
  EXPECT_FALSE(box.kwarg_only);
  const Argument& scale = schema->arguments()[2];
  EXPECT_TRUE(scale.kwarg_only);
  EXPECT_EQ(scale.type, optional_type(simple_type(TENON_TYPE_FLOAT)));
  EXPECT_EQ(scale.default_value->value().tag, TENON_TAG_NONE);
  ASSERT_EQ(schema->returns().size(), 2u);
  EXPECT_STREQ(schema->returns()[0].name.c_str(), "result");
  EXPECT_EQ(schema->find_argument("scale"), 2);
  EXPECT_EQ(schema->find_argument("result"), -1);
}

TEST(Parser, LiveCount_FollowsSchemas) {
  const int64_t before = base::live_count(TENON_HANDLE_SCHEMA);
  {
    const SchemaPtr schema = parse_schema("f() -> ()");
    EXPECT_EQ(base::live_count(TENON_HANDLE_SCHEMA), before + 1);
  }
  EXPECT_EQ(base::live_count(TENON_HANDLE_SCHEMA), before);
}

TEST(Parser, DefaultNamespace_IsForNamesWithoutOne) {
  EXPECT_STREQ(parse_schema("f() -> ()", "my")->text(), "my::f() -> ()");
  EXPECT_STREQ(parse_schema("x::f() -> ()", "my")->text(), "x::f() -> ()");
  EXPECT_EQ(parse_operator_name("f.a", "my").full(), "my::f.a");
}

TEST(Parser, Item79_WrittenKeywordArgument_IsOut) {
  const SchemaPtr schema =
      parse_schema("f(Tensor(a!) x, *, Tensor(b!) out, Tensor(c) y) -> Tensor(b!)");
  EXPECT_FALSE(schema->arguments()[0].is_out());
  EXPECT_TRUE(schema->arguments()[0].is_written());
  EXPECT_TRUE(schema->arguments()[1].is_out());
  EXPECT_FALSE(schema->arguments()[2].is_out());
}

TEST(Parser, Item80_EqualityAndHash_SeeEveryPart) {
  const SchemaPtr base = parse_schema("f(Tensor(a) x, int n=1, *, bool b) -> Tensor(a) y");
  const char* const others[] = {
      "g(Tensor(a) x, int n=1, *, bool b) -> Tensor(a) y",
      "f.o(Tensor(a) x, int n=1, *, bool b) -> Tensor(a) y",
      "f(Tensor(a) z, int n=1, *, bool b) -> Tensor(a) y",
      "f(Tensor(a) x, int n=2, *, bool b) -> Tensor(a) y",
      "f(Tensor(a) x, int n, *, bool b) -> Tensor(a) y",
      "f(Tensor(a) x, SymInt n=1, *, bool b) -> Tensor(a) y",
      "f(Tensor(a) x, *, int n=1, bool b) -> Tensor(a) y",
      "f(Tensor(a!) x, int n=1, *, bool b) -> Tensor(a!) y",
      "f(Tensor(c) x, int n=1, *, bool b) -> Tensor(c) y",
      "f(Tensor(a) x, int n=1, *, bool b) -> Tensor(a) z",
      "f(Tensor(a) x, int n=1, *, bool b) -> Tensor(a)",
      "f(Tensor(a) x, int n=1, *, bool b) -> (Tensor(a) y, int)",
      "f(Tensor(a) x, int n=1, *, bool b) -> (Tensor(a) y, ...)",
  };
  for (const char* text : others) {
    const SchemaPtr other = parse_schema(text);
    EXPECT_FALSE(*other == *base) << text;
    EXPECT_NE(other->hash(), base->hash()) << text;
  }
  const SchemaPtr same = parse_schema(" f ( Tensor ( a )x,int n = 1,*,bool b )->Tensor(a)y ");
  EXPECT_TRUE(*same == *base);
  EXPECT_EQ(same->hash(), base->hash());
}

TEST(Parser, AliasSets_HaveNoOrder) {
  const SchemaPtr ab = parse_schema("f(Tensor(a|b) x) -> ()");
  const SchemaPtr ba = parse_schema("f(Tensor(b|a) x) -> ()");
  EXPECT_TRUE(*ab == *ba);
  EXPECT_EQ(ab->hash(), ba->hash());
  EXPECT_STREQ(ab->text(), "f(Tensor(a|b) x) -> ()");
}

TEST(Parser, Item81_WrittenElement_WritesItsList) {
  const SchemaPtr schema = parse_schema("f(Tensor(a!)[] x) -> ()");
  const AliasInfo& alias = *schema->arguments()[0].alias;
  EXPECT_TRUE(alias.write);
  EXPECT_TRUE(alias.before.empty());
  ASSERT_EQ(alias.contained.size(), 1u);
  EXPECT_STREQ(alias.contained[0]->before[0].c_str(), "a");
  EXPECT_STREQ(schema->text(), "f(Tensor(a!)[] x) -> ()");
}

TEST(Parser, Item82_SetsBeforeAndAfter) {
  const SchemaPtr list = parse_schema("f(Tensor(b|c)[](a!) x) -> Tensor(b)");
  const AliasInfo& alias = *list->arguments()[0].alias;
  EXPECT_STREQ(alias.before[0].c_str(), "a");
  EXPECT_TRUE(alias.write);
  EXPECT_EQ(alias.contained[0]->before.size(), 2u);
  EXPECT_FALSE(alias.contained[0]->write);
  EXPECT_STREQ(list->text(), "f(Tensor(b|c)[](a!) x) -> Tensor(b)");

  const SchemaPtr moved = parse_schema("f(Tensor(b -> b|c) x) -> ()");
  EXPECT_EQ(moved->arguments()[0].alias->before.size(), 1u);
  EXPECT_EQ(moved->arguments()[0].alias->after.size(), 2u);
  EXPECT_STREQ(moved->text(), "f(Tensor(b -> b|c) x) -> ()");
}

TEST(Parser, EveryAnnotationForm_PrintsBack) {
  for (const char* text : {
           "f(Tensor(a) x) -> Tensor(a)",
           "f(Tensor(a!)? x) -> ()",
           "f(Tensor(a -> *) x) -> Tensor(*)",
           "f(Tensor(a! -> a|b) x) -> Tensor(b)",
           "f(Tensor(*) x) -> ()",
           "f(Tensor! x) -> ()",
           "f(Tensor(a!)?[] x) -> ()",
           "f(Tensor(a)[2](b!)? x) -> ()",
           "f(Dict(str, Tensor)(a!) x) -> ()",
           "f((Tensor(a!), int) x) -> ()",
           "f((Tensor(a), Tensor(b!)[])[](c) x) -> Tensor(c)",
           "f(Tensor(a)[][] x) -> Tensor(a)[]",
           "aten::f(t(a) x) -> t(a|b)",
       }) {
    EXPECT_EQ(reprint(text), text);
    EXPECT_TRUE(*parse_schema(text) == *parse_schema(reprint(text))) << text;
  }
}

TEST(Parser, Item84_NestedLists) {
  const SchemaPtr schema = parse_schema("f(int[][4] x) -> ()");
  const Argument& argument = schema->arguments()[0];
  EXPECT_EQ(argument.list_size, 4);
  EXPECT_EQ(argument.type, list_type(list_type(simple_type(TENON_TYPE_INT))));
  EXPECT_STREQ(schema->text(), "f(int[][4] x) -> ()");
  EXPECT_EQ(reprint("f(int[]?[]? a, int[0] b, int?[2]? c) -> (int[3], int[])"),
            "f(int[]?[]? a, int[0] b, int?[2]? c) -> (int[3], int[])");
}

TEST(Parser, Item85_CompoundTypes) {
  const char* text =
      "f(Future(int) a, RRef(int) b, Dict(str, Tensor) c, Union(int, str, Tensor) d, "
      "(int, Tensor?) e, Await(int) f, __torch__.torch.classes.ns.Cls? g) -> ((int, int)[])";
  EXPECT_EQ(reprint(text), text);
}

TEST(Parser, EverySimpleType_PrintsItsName) {
  for (const char* type :
       {"Tensor",       "int",        "float",   "bool",         "complex",  "Scalar",
        "str",          "ScalarType", "Layout",  "MemoryFormat", "Device",   "DeviceIndex",
        "Stream",       "Generator",  "Storage", "SymInt",       "SymFloat", "SymBool",
        "NoneType",     "Any",        "QScheme", "Quantizer",    "Capsule",  "Function",
        "AnyClassType", "AnyEnumType"}) {
    const std::string text = base::concat("f(", type, " x) -> ", type);
    EXPECT_EQ(reprint(text), text);
  }
  EXPECT_EQ(reprint("f(None x, Dimname y, ConstQuantizerPtr z) -> ()"),
            "f(NoneType x, str y, int z) -> ()");  // as PyTorch prints them
}

TEST(Parser, Item93_EnumerationsKeepTheirNames) {
  const SchemaPtr schema =
      parse_schema("f(ScalarType? dtype, Layout layout, MemoryFormat format) -> ()");
  EXPECT_STREQ(schema->text(), "f(ScalarType? dtype, Layout layout, MemoryFormat format) -> ()");
  EXPECT_EQ(lowered_type(schema->arguments()[0].type), optional_type(simple_type(TENON_TYPE_INT)));
}

TEST(Parser, Item94_SymbolicTypes) {
  EXPECT_EQ(reprint("f(SymInt a, SymInt[] b, SymInt? c, SymInt[2]? d) -> SymInt"),
            "f(SymInt a, SymInt[] b, SymInt? c, SymInt[2]? d) -> SymInt");
}

TEST(Parser, Item99_NameWithoutArguments_IsAName) {
  const SchemaOrName parsed = parse_schema_or_name("ns::f.o");
  EXPECT_EQ(parsed.name.full(), "ns::f.o");
  EXPECT_FALSE(parsed.schema);
  EXPECT_TRUE(parse_schema_or_name("ns::f.o() -> ()").schema);
}

TEST(Parser, Item100_ReturnNamesAreKept) {
  EXPECT_EQ(reprint("f() -> (Tensor values, Tensor indices)"),
            "f() -> (Tensor values, Tensor indices)");
  EXPECT_EQ(reprint("f() -> (Tensor out)"), "f() -> Tensor out");
}

TEST(Parser, Returns_UseParenthesesWhereTheyAreNeeded) {
  EXPECT_EQ(reprint("f() -> ((int, int))"), "f() -> ((int, int))");
  EXPECT_EQ(reprint("f() -> (int)"), "f() -> int");
  EXPECT_EQ(reprint("f() -> (...)"), "f() -> ...");
  EXPECT_EQ(reprint("f() -> (int, ...)"), "f() -> (int, ...)");
  EXPECT_EQ(reprint("f(...) -> ()"), "f(...) -> ()");
  EXPECT_EQ(reprint("f(int a, ...) -> ..."), "f(int a, ...) -> ...");
}

TEST(Parser, Item90_ListAfterDefault_MayHaveNone) {
  EXPECT_EQ(reprint("f(int a=1, Tensor[] b) -> ()"), "f(int a=1, Tensor[] b) -> ()");
  EXPECT_EQ(reprint("f(int a=1, *, int b) -> ()"), "f(int a=1, *, int b) -> ()");
}

TEST(Parser, WhitespaceAndNewlines_AreFree) {
  EXPECT_EQ(reprint("\n\tns :: f . o (\n  Tensor x ,\r\n  int[ ] y )\n->\n( )"),
            "ns::f.o(Tensor x, int[] y) -> ()");
}

TEST(Parser, Signature_HasNoNameOfItsOwn) {
  const SchemaPtr schema = parse_signature("(Tensor _0, int _1) -> Tensor", {});
  EXPECT_STREQ(schema->text(), "(Tensor _0, int _1) -> Tensor");
}

TEST(Printer, TypeAndAlias_AloneAndApart) {
  const SchemaPtr schema =
      parse_schema("f(Tensor(a!)? x, Tensor(a)[2](b!)? y, int[] z, Tensor(c!)[] w) -> ()");
  const auto& arguments = schema->arguments();
  EXPECT_EQ(print_type(arguments[0]), "Tensor?");
  EXPECT_EQ(print_alias(arguments[0]), "(a!)");
  EXPECT_EQ(print_type(arguments[1]), "Tensor[2]?");
  EXPECT_EQ(print_alias(arguments[1]), "(a)[](b!)");
  EXPECT_EQ(print_alias(arguments[2]), "");
  EXPECT_EQ(print_alias(arguments[3]), "(c!)");
}

TEST(Schema, AliasedArgument_IsTheFirstThatSharesASet) {
  const SchemaPtr schema = parse_schema(
      "f(Tensor x, Tensor(a!) y, Tensor(b -> *)[] z) -> (Tensor(a!), Tensor(b)[], Tensor, "
      "Tensor(*))");
  EXPECT_EQ(schema->aliased_argument(0), 1);
  EXPECT_EQ(schema->aliased_argument(1), 2);
  EXPECT_EQ(schema->aliased_argument(2), -1);
  EXPECT_EQ(schema->aliased_argument(3), -1);
}

}  // namespace
}  // namespace tenon::schema
