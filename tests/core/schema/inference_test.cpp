// SPDX-License-Identifier: Apache-2.0
// Tests of lowered signatures and of kernels checked against schemas.
#include "schema/inference.h"

#include <gtest/gtest.h>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

std::string codes(const char* text) { return signature_codes(*parse_schema(text)); }

TEST(Signature, Hash_HasTheVectorsOfTheHeader) {
  EXPECT_EQ(signature_hash(">"), 0xaf63b34c8601a6e1u);
  EXPECT_EQ(signature_hash("T>T"), 0x6c62fe19e196c2e9u);
  EXPECT_EQ(signature_hash("TT>T"), 0xa3775cfad220a37fu);
  EXPECT_EQ(signature_hash("TTv>T"), 0x75248d31ac81c403u);
}

TEST(Signature, Codes_FollowTheTypes) {
  EXPECT_EQ(codes("f() -> ()"), ">");
  EXPECT_EQ(codes("f(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor"), "TTv>T");
  EXPECT_EQ(codes("f(Tensor? a, int b, SymInt c, ScalarType d, Layout e, MemoryFormat f, "
                  "DeviceIndex g, bool h, float i, str j) -> ()"),
            "Tiiiiiibds>");
  EXPECT_EQ(codes("f(int[] a, SymInt[2] b, float[] c, bool[3] d, Tensor[] e, Tensor?[] f) -> ()"),
            "IIDBLL>");
  EXPECT_EQ(codes("f(int? a, Tensor[]? b, int[]? c, Device d, Any e, str[] f, int[][] g, "
                  "complex h, Dict(str, int) i, SymBool j) -> ()"),
            "vvvvvvvvvv>");
  EXPECT_EQ(codes("f() -> (Tensor, int, bool, float, Tensor?, str, Tensor[])"), ">TibdTvv");
}

TEST(Signature, WrittenArgumentThatReturns_HasNoResult) {
  EXPECT_EQ(codes("f(Tensor(a!) x, Tensor y) -> Tensor(a!)"), "TT>");
  EXPECT_EQ(codes("f(Tensor(a) x) -> Tensor(a)"), "T>T");
  EXPECT_EQ(codes("f(Tensor(a!) x) -> (Tensor(a!), Tensor)"), "T>T");
}

TEST(Signature, Varargs_HaveNone) {
  EXPECT_EQ(codes("f(...) -> ()"), "");
  EXPECT_EQ(codes("f() -> ..."), "");
}

TEST(Signature, Item107_TextFromCodes) {
  EXPECT_EQ(schema_text_from_codes("TTd>T"), "(Tensor _0, Tensor _1, float _2) -> Tensor");
  EXPECT_EQ(schema_text_from_codes(">"), "() -> ()");
  EXPECT_EQ(schema_text_from_codes("IDBLsvib>Tv"),
            "(int[] _0, float[] _1, bool[] _2, Tensor[] _3, str _4, Any _5, int _6, bool _7)"
            " -> (Tensor, Any)");
  for (const char* text : {"TTd>T", ">", "IDBLsvib>Tv"}) {
    EXPECT_EQ(signature_codes(*parse_signature(schema_text_from_codes(text), {})), text);
  }
  EXPECT_THROW(schema_text_from_codes("TT"), Error);
  EXPECT_THROW(schema_text_from_codes("Tx>T"), Error);
}

std::string mismatch(const char* kernel, const char* declared) {
  return find_mismatch(*parse_signature(kernel, {}), *parse_schema(declared)).value_or("");
}

TEST(Mismatch, Item108_EachWithItsReason) {
  const char* declared = "f(Tensor self, int n) -> Tensor";
  EXPECT_EQ(mismatch("(Tensor _0, int _1) -> Tensor", declared), "");
  EXPECT_EQ(mismatch("(Tensor _0) -> Tensor", declared),
            "the number of arguments must be 2, got 1");
  EXPECT_EQ(mismatch("(Tensor _0, float _1) -> Tensor", declared),
            "argument 2 ('n') must be int, got float");
  EXPECT_EQ(mismatch("(Tensor _0, int _1) -> ()", declared),
            "the number of returns must be 1, got 0");
  EXPECT_EQ(mismatch("(Tensor _0, int _1) -> int", declared), "return 1 must be Tensor, got int");
  EXPECT_EQ(mismatch("(Tensor _0, ...) -> Tensor", declared), "only one of them has '...'");
}

TEST(Mismatch, NamesDefaultsAndAnnotations_DoNotMatter) {
  EXPECT_EQ(mismatch("(Tensor _0, int[] _1, Tensor _2) -> Tensor",
                     "f(Tensor(a!) self, int[2] n=1, *, Tensor(b!) out) -> Tensor(a!) y"),
            "");
}

TEST(Mismatch, LoweredTypes_AreTheSame) {
  EXPECT_EQ(mismatch("(int[] _0, int _1, int _2) -> int",
                     "f(SymInt[] a, ScalarType b, SymInt c) -> SymInt"),
            "");
  EXPECT_EQ(mismatch("(Any _0) -> Any", "f(Dict(str, int) a) -> Tensor"), "");
  EXPECT_EQ(mismatch("(Tensor? _0) -> ()", "f(Tensor a) -> ()"), "");
  EXPECT_EQ(mismatch("(Tensor[] _0) -> ()", "f(Tensor?[] a) -> ()"), "");
  // A value that is always present may be returned as an optional.
  EXPECT_EQ(mismatch("() -> Tensor", "f() -> Tensor?"), "");
  EXPECT_EQ(mismatch("() -> Tensor?", "f() -> Tensor"), "return 1 must be Tensor, got Tensor?");
  // A kernel that expects a tensor cannot accept an optional.
  EXPECT_EQ(mismatch("(Tensor _0) -> ()", "f(Tensor? a) -> ()"),
            "argument 1 ('a') must be Tensor?, got Tensor");
}

}  // namespace
}  // namespace tenon::schema
