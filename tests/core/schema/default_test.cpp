// SPDX-License-Identifier: Apache-2.0
// Tests of default values: parsing, printing, and refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>

#include "schema_testing.h"

namespace tenon::schema {
namespace {

using testing::first_line;
using testing::parse_error;

// The default of the argument of `f(<text>) -> ()`.
class DefaultOf {
 public:
  explicit DefaultOf(const std::string& argument)
      : schema_(parse_schema("f(" + argument + ") -> ()")) {}
  const tenon_value& value() const { return schema_->arguments()[0].default_value->value(); }
  std::string printed() const { return print(schema_->arguments()[0]); }
  template <class T>
  std::span<const T> list() const {
    return {static_cast<const T*>(value().as.list.data), value().count};
  }
  // Prints and parses again; returns true if the schemas are equal.
  bool round_trips() const { return *parse_schema(schema_->text()) == *schema_; }

 private:
  SchemaPtr schema_;
};

TEST(Default, Values_HaveTheTagOfTheirType) {
  EXPECT_EQ(DefaultOf("int x=-3").value().as.i, -3);
  EXPECT_EQ(DefaultOf("SymInt x=3").value().tag, TENON_TAG_INT);
  EXPECT_EQ(DefaultOf("bool x=True").value().tag, TENON_TAG_BOOL);
  EXPECT_EQ(DefaultOf("float x=2.5").value().as.f, 2.5);
  EXPECT_EQ(DefaultOf("float x=2").value().tag, TENON_TAG_FLOAT);
  EXPECT_EQ(DefaultOf("float? x=2").value().as.f, 2.0);
  EXPECT_EQ(DefaultOf("Scalar x=2").value().tag, TENON_TAG_INT);
  EXPECT_EQ(DefaultOf("Scalar x=2.").value().tag, TENON_TAG_FLOAT);
  EXPECT_EQ(DefaultOf("Scalar x=True").value().tag, TENON_TAG_BOOL);
  EXPECT_EQ(DefaultOf("Scalar x=2j").value().as.c.imag, 2.0);
  EXPECT_EQ(DefaultOf("ScalarType x=float").value().tag, TENON_TAG_DTYPE);
  EXPECT_EQ(DefaultOf("ScalarType x=float").value().as.i, TENON_DTYPE_F32);
  EXPECT_EQ(DefaultOf("ScalarType? x=long").value().as.i, TENON_DTYPE_I64);
  EXPECT_EQ(DefaultOf("ScalarType x=bfloat16").value().as.i, TENON_DTYPE_BF16);
  EXPECT_EQ(DefaultOf("Layout x=strided").value().tag, TENON_TAG_LAYOUT);
  EXPECT_EQ(DefaultOf("MemoryFormat x=contiguous_format").value().tag, TENON_TAG_MEMORY_FORMAT);
  EXPECT_EQ(DefaultOf("int reduction=Mean").value().as.i, 1);
  for (const char* none : {"Tensor x=None", "Tensor? x=None", "Generator? x=None", "int? x=None",
                           "str? x=None", "int[]? x=None", "Device? x=None", "Any x=None"}) {
    EXPECT_EQ(DefaultOf(none).value().tag, TENON_TAG_NONE) << none;
    EXPECT_EQ(DefaultOf(none).printed(), none);
  }
}

TEST(Default, Lists_HoldTheirElements) {
  const DefaultOf ints("int[] x=[1, -2]");
  EXPECT_EQ(ints.value().tag, TENON_TAG_INT_LIST);
  EXPECT_EQ(ints.list<int64_t>()[1], -2);
  const DefaultOf floats("float[] x=[1, 2.5]");
  EXPECT_EQ(floats.value().tag, TENON_TAG_FLOAT_LIST);
  EXPECT_EQ(floats.list<double>()[0], 1.0);
  EXPECT_EQ(floats.printed(), "float[] x=[1., 2.5]");
  EXPECT_EQ(DefaultOf("int[] x=[]").value().count, 0u);
  EXPECT_EQ(DefaultOf("Tensor[] x=[]").value().tag, TENON_TAG_TENSOR_LIST);
  const DefaultOf scalars("Scalar[] x=[1, 2.5, True]");
  EXPECT_EQ(scalars.list<tenon_value>()[1].tag, TENON_TAG_FLOAT);
  EXPECT_TRUE(scalars.round_trips());
}

TEST(Default, Item91_OneValueForAList_IsRepeated) {
  const DefaultOf bools("bool[2] m=True");
  EXPECT_EQ(bools.value().tag, TENON_TAG_BOOL_LIST);
  EXPECT_EQ(bools.value().count, 2u);
  EXPECT_EQ(bools.list<uint8_t>()[1], 1);
  EXPECT_EQ(bools.printed(), "bool[2] m=[True, True]");
  EXPECT_EQ(DefaultOf("int[2] s=1").list<int64_t>()[1], 1);
  EXPECT_EQ(DefaultOf("int[2] s=1").printed(), "int[2] s=1");
  EXPECT_EQ(DefaultOf("int[2] s=[1, 1]").printed(), "int[2] s=1");
  EXPECT_EQ(DefaultOf("int[3] s=[1, 1]").printed(), "int[3] s=[1, 1]");
  EXPECT_EQ(DefaultOf("int[2]? s=1").printed(), "int[2]? s=1");
  EXPECT_EQ(DefaultOf("SymInt[2] s=1").printed(), "SymInt[2] s=[1, 1]");
  EXPECT_EQ(DefaultOf("int[0] s=1").value().count, 0u);
  for (const char* text : {"bool[2] m=True", "int[2] s=1", "int[3] s=[1, 1]", "int[2]? s=1",
                           "SymInt[2]? s=1", "int[1] s=1", "int[0] s=1", "float[2] s=1"}) {
    EXPECT_TRUE(DefaultOf(text).round_trips()) << text;
  }
}

TEST(Default, Item92_Texts_RoundTripQuoted) {
  EXPECT_EQ(DefaultOf("str? x=\"NCHW\"").printed(), "str? x=\"NCHW\"");
  EXPECT_EQ(DefaultOf("str x='it\\'s'").printed(), "str x=\"it\\'s\"");
  const DefaultOf escaped(R"(str x="\\\"\'\a\b\f\n\r\t\v\001\177\000z")");
  EXPECT_EQ(escaped.value().count, 14u);
  EXPECT_EQ(std::memcmp(escaped.value().as.list.data, "\\\"'\a\b\f\n\r\t\v\001\177\0z", 14), 0);
  EXPECT_TRUE(escaped.round_trips());
  EXPECT_TRUE(DefaultOf("str x=\"grüße\"").round_trips());
  EXPECT_EQ(DefaultOf("str x=\"\"").value().count, 0u);
}

TEST(Default, Item97_Device_PrintsReparsable) {
  const DefaultOf cpu("Device d='cpu'");
  EXPECT_EQ(cpu.printed(), "Device d=\"cpu\"");
  EXPECT_EQ(cpu.value().as.device.type, TENON_DEVICE_CPU);
  EXPECT_EQ(DefaultOf("Device d='cuda:1'").value().as.device.index, 1);
  EXPECT_EQ(DefaultOf("Device? d='cuda'").value().as.device.index, -1);
  EXPECT_EQ(DefaultOf("Device d=\"npu:2\"").printed(), "Device d=\"npu:2\"");
  EXPECT_TRUE(DefaultOf("Device d=\"npu:2\"").round_trips());
}

TEST(Default, Floats_PrintAsPyTorchPrintsThem) {
  EXPECT_EQ(DefaultOf("float x=1").printed(), "float x=1.");
  EXPECT_EQ(DefaultOf("float? x=1").printed(), "float? x=1");
  EXPECT_EQ(DefaultOf("float x=1e-05").printed(), "float x=1.0000000000000001e-05");
  EXPECT_EQ(DefaultOf("float x=.125").printed(), "float x=0.125");
  EXPECT_EQ(DefaultOf("float x=-0.0").printed(), "float x=-0.");
  EXPECT_EQ(DefaultOf("float x=1e10").printed(), "float x=10000000000.");
  EXPECT_EQ(DefaultOf("float x=1e300").printed(), "float x=1.0000000000000001e+300");
  EXPECT_EQ(DefaultOf("complex x=2j").printed(), "complex x=0.+2.j");
  for (const char* text : {"float x=1", "float? x=1", "float? x=1e10", "float x=-0.0",
                           "float x=1e10", "float x=1e22", "float x=0.1", "complex x=-2.5j",
                           "complex x=1.5-2j", "complex x=3", "float x=1e-320", "Scalar x=1+2j"}) {
    EXPECT_TRUE(DefaultOf(text).round_trips()) << text;
  }
}

TEST(Default, InfinityAndNan_AreFloats) {
  EXPECT_TRUE(std::isinf(DefaultOf("float x=inf").value().as.f));
  EXPECT_LT(DefaultOf("float x=-inf").value().as.f, 0);
  EXPECT_TRUE(std::isnan(DefaultOf("float? x=nan").value().as.f));
  for (const char* text : {"float x=inf", "float x=-inf", "float x=nan", "Scalar x=inf"}) {
    EXPECT_EQ(DefaultOf(text).printed(), text);
    EXPECT_TRUE(DefaultOf(text).round_trips()) << text;
  }
}

TEST(Default, Integers_CoverInt64AndHexadecimal) {
  EXPECT_EQ(DefaultOf("int x=0x10").value().as.i, 16);
  EXPECT_EQ(DefaultOf("int x=9223372036854775807").value().as.i, INT64_MAX);
  EXPECT_EQ(DefaultOf("int x=-9223372036854775808").value().as.i, INT64_MIN);
  EXPECT_TRUE(DefaultOf("int x=-9223372036854775808").round_trips());
}

TEST(Default, Item95_TypeMismatch_IsRefused) {
  struct Case {
    const char* argument;
    const char* message;
  };
  for (const Case& c : {
           Case{"int x=1.5", "f: the default of argument 'x' must be of type int, got '1.5'"},
           {"int x=True", "f: the default of argument 'x' must be of type int, got 'True'"},
           {"int x=None", "f: the default of argument 'x' must be of type int, got 'None'"},
           {"int? x='s'", "f: the default of argument 'x' must be of type int or None, got ''s''"},
           {"bool x=1", "f: the default of argument 'x' must be of type bool, got '1'"},
           {"float x=True", "f: the default of argument 'x' must be of type float, got 'True'"},
           {"float x=1j", "f: the default of argument 'x' must be of type float, got '1j'"},
           {"str x=abc", "f: the default of argument 'x' must be a string in quotes, got 'abc'"},
           {"Device d=cpu", "f: the default of argument 'd' must be a string in quotes, got 'cpu'"},
           {"Tensor x=1", "f: the default of argument 'x' must be None, got '1'"},
           {"Scalar x='a'", "f: the default of argument 'x' must be of type Scalar, got ''a''"},
           {"int[] x=1", "f: the default of argument 'x' must be a list in brackets"},
           {"int[] x=[1.5]", "f: the default of argument 'x' must be a list in brackets"},
           {"Tensor[] x=[1]", "f: the default of argument 'x' must be a list in brackets"},
           {"ScalarType t=floot", "f: the default of argument 't' must be of type ScalarType"},
           {"Layout l=float", "f: the default of argument 'l' must be of type Layout"},
           {"Dict(str, int) x={}", "f: the default of argument 'x' must be left out for type Dict"},
           {"(int, int)? x=(1, 2)",
            "f: the default of argument 'x' must be None for type (int, int)?"},
           {"int x=", "f: the default of argument 'x' must be of type int, got ')'"},
           {"int x=-", "f: the default of argument 'x' must be of type int, got '-)'"},
           {"int x=9223372036854775808", "f: an integer beyond the range of int64"},
           {"int x=0xffffffffffffffffff", "f: an integer beyond the range of int64"},
           {"float x=1e999", "f: a number beyond the range of float64"},
           {"int x=0x", "f: a hexadecimal number needs digits after 0x"},
           {"int x=1_0", "f: a malformed number"},
           {"int x=0b1", "f: a malformed number"},
           {"float x=1e", "f: an exponent needs digits"},
           {"str x='a", "f: a string without closing quote"},
           {"str x='\\q'", "f: an unknown escape sequence in a string"},
           {"str x='\\777'", "f: an unknown escape sequence in a string"},
           {"Device d='cuda:x'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d=':1'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d='a b'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d='CUDA'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d='a\\nb'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d='cuda:01'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d='cuda:-1'", "f: a device must be written \"name\" or \"name:index\""},
           {"Device d='cpu:1'", "f: the index of cpu must be 0"},
           {"Device d='meta:2'", "f: the index of meta must be 0"},
           {"int[1000000000] x=1", "f: the default of a list of this length"},
       }) {
    const std::string error = first_line(parse_error(std::string("f(") + c.argument + ") -> ()"));
    EXPECT_EQ(error.substr(0, std::strlen(c.message)), c.message) << c.argument;
  }
}

}  // namespace
}  // namespace tenon::schema
