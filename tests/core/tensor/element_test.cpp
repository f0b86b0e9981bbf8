// SPDX-License-Identifier: Apache-2.0
#include "tensor/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tenon::tensor {
namespace {

TEST(Element, HalfBits) {
  EXPECT_EQ(half_to_float(0x0000), 0.0f);
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc500), -5.0f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.0f, -24));
  EXPECT_EQ(half_to_float(0x0400), std::ldexp(1.0f, -14));
  EXPECT_EQ(half_to_float(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(half_to_float(0x7e00)));
}

TEST(Element, BfloatBits) {
  EXPECT_EQ(bfloat16_to_float(0x3f80), 1.0f);
  EXPECT_EQ(bfloat16_to_float(0xc0a0), -5.0f);
  EXPECT_EQ(bfloat16_to_float(0x7f80), INFINITY);
  EXPECT_TRUE(std::isnan(bfloat16_to_float(0x7fc0)));
}

TEST(Element, Float8Bits) {
  EXPECT_EQ(float8_e5m2_to_float(0x3c), 1.0f);
  EXPECT_EQ(float8_e5m2_to_float(0x7b), 57344.0f);
  EXPECT_EQ(float8_e5m2_to_float(0x01), std::ldexp(1.0f, -16));
  EXPECT_EQ(float8_e5m2_to_float(0xfc), -INFINITY);
  EXPECT_TRUE(std::isnan(float8_e5m2_to_float(0x7f)));
  EXPECT_EQ(float8_e4m3fn_to_float(0x38), 1.0f);
  EXPECT_EQ(float8_e4m3fn_to_float(0x7e), 448.0f);
  EXPECT_EQ(float8_e4m3fn_to_float(0xf8), -256.0f);
  EXPECT_EQ(float8_e4m3fn_to_float(0x77), 240.0f);
  EXPECT_EQ(float8_e4m3fn_to_float(0x01), std::ldexp(1.0f, -9));
  EXPECT_TRUE(std::isnan(float8_e4m3fn_to_float(0xff)));
}

TEST(Element, LoadsEveryDtype) {
  const int8_t minus = -3;
  const uint8_t two = 2;
  const int16_t i16 = -300;
  const int32_t i32 = 70000;
  const int64_t i64 = int64_t{1} << 60;
  EXPECT_EQ(load_integer(&minus, TENON_DTYPE_I8), -3);
  EXPECT_EQ(load_integer(&minus, TENON_DTYPE_U8), 253);
  EXPECT_EQ(load_integer(&two, TENON_DTYPE_BOOL), 1);
  EXPECT_EQ(load_integer(&i16, TENON_DTYPE_I16), -300);
  EXPECT_EQ(load_integer(&i32, TENON_DTYPE_I32), 70000);
  EXPECT_EQ(load_integer(&i64, TENON_DTYPE_I64), int64_t{1} << 60);
  const double f64 = 0.1;
  const float f32 = 0.1f;
  EXPECT_EQ(load_real(&f64, TENON_DTYPE_F64), 0.1);
  EXPECT_EQ(load_real(&f32, TENON_DTYPE_F32), static_cast<double>(0.1f));
  EXPECT_EQ(load_real(&i32, TENON_DTYPE_I32), 70000.0);
  const std::complex<float> c64(1.5f, -2.0f);
  EXPECT_EQ(load_complex(&c64, TENON_DTYPE_C64), std::complex<double>(1.5, -2.0));
}

TEST(Element, UnalignedIsRead) {
  alignas(8) unsigned char bytes[16] = {};
  const double value = 2.5;
  std::memcpy(bytes + 3, &value, sizeof value);
  EXPECT_EQ(load_real(bytes + 3, TENON_DTYPE_F64), 2.5);
}

}  // namespace
}  // namespace tenon::tensor
