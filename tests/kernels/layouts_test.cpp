// SPDX-License-Identifier: Apache-2.0
// Pointwise operators with layouts that determine the order of computation: long rows, short rows,
// rows of one element, transposed operands, small floats. Results equal those of contiguous
// operands in any order.
#include <algorithm>
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

template <class T>
Tensor from_values(const std::vector<T>& values) {
  const int64_t count[] = {static_cast<int64_t>(values.size())};
  const Tensor tensor = Tensor::empty(count, dtype_of<T>);
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

// Returns a tensor of any dtype with the numbers from 0 up, in which neighbours differ.
Tensor numbers(Ints sizes, Dtype dtype) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i * 7 % 53));
  const Tensor floats = call("aten::view", from_values(values), sizes);
  return call("aten::to.dtype", floats, dtype);
}

Tensor turned(const Tensor& tensor) {
  const auto ndim = static_cast<int64_t>(tensor.sizes().size());
  return call("aten::transpose.int", tensor, ndim - 2, ndim - 1);
}

// Returns a row-major copy, expanded to the result's sizes.
Tensor flat(const Tensor& tensor, const Ints& to) {
  return call("aten::contiguous", call("aten::expand", tensor, to));
}

void expect_as_flat(const std::string& name, const Tensor& a, const Tensor& b) {
  const Tensor result = call(name, a, b);
  const Ints to = sizes(result);
  const Tensor expected = call(name, flat(a, to), flat(b, to));
  EXPECT_EQ(result.dtype(), expected.dtype()) << name;
  EXPECT_EQ(elements(result), elements(expected)) << name << ", last size " << to.back();
}

constexpr Dtype kDtypes[] = {Dtype::F32, Dtype::F64, Dtype::F16, Dtype::BF16,
                             Dtype::I64, Dtype::I16, Dtype::U8};

void expect_for_dtypes(const Ints& left, const Ints& right, bool turn_left, bool turn_right) {
  for (const Dtype dtype : kDtypes) {
    for (const Dtype other : {dtype, Dtype::F32, Dtype::I64}) {
      Tensor a = numbers(left, dtype);
      Tensor b = numbers(right, other);
      if (turn_left) a = turned(a);
      if (turn_right) b = turned(b);
      for (const char* name :
           {"aten::add.Tensor", "aten::sub.Tensor", "aten::maximum", "aten::lt.Tensor"}) {
        expect_as_flat(name, a, b);
        expect_as_flat(name, b, a);
      }
    }
  }
}

TEST(Layouts, ARowForAll) { expect_for_dtypes({5, 700}, {700}, false, false); }

TEST(Layouts, AnElementForEachRow) { expect_for_dtypes({5, 700}, {5, 1}, false, false); }

TEST(Layouts, ShortRows) {
  for (const int64_t length : {2, 3, 8, 63}) {
    expect_for_dtypes({301, length}, {length}, false, false);
    expect_for_dtypes({2, 150, length}, {2, 1, length}, false, false);
    expect_for_dtypes({301, length}, {301, 1}, false, false);
  }
}

TEST(Layouts, RowsOfMiddlingLength) {
  for (const int64_t length : {64, 100, 500}) {
    expect_for_dtypes({41, length}, {length}, false, false);
    expect_for_dtypes({41, length}, {41, 1}, false, false);
    expect_for_dtypes({3, 41, length}, {41, 1}, false, false);
    expect_for_dtypes({3, 41, length}, {3, 1, length}, false, false);
  }
}

TEST(Layouts, TurnedOperands) {
  expect_for_dtypes({70, 33}, {33, 70}, false, true);
  expect_for_dtypes({130, 17}, {17, 130}, true, false);
  expect_for_dtypes({3, 40, 65}, {3, 65, 40}, false, true);
  expect_for_dtypes({70, 33}, {33, 1}, true, false);
}

TEST(Layouts, CopiesOfTurnedTensors) {
  for (const Dtype dtype : {Dtype::U8, Dtype::BF16, Dtype::I32, Dtype::F64}) {
    for (const Ints& shape : {Ints{8, 8}, Ints{37, 70}, Ints{130, 9}, Ints{2, 65, 16}}) {
      const Tensor self = numbers(shape, dtype);
      const Doubles from = elements(self);
      const Doubles to = elements(
          call("aten::clone", turned(self), kw("memory_format", MemoryFormat::Contiguous)));
      const int64_t rows = shape[shape.size() - 2], columns = shape.back();
      ASSERT_EQ(from.size(), to.size());
      for (int64_t i = 0; i < static_cast<int64_t>(from.size()); ++i) {
        const int64_t r = i / columns % rows;
        const int64_t at = i / (rows * columns) * (rows * columns) + i % columns * rows + r;
        ASSERT_EQ(to[static_cast<size_t>(at)], from[static_cast<size_t>(i)]) << at;
      }
    }
  }
}

TEST(Layouts, TurnedComplexNumbersAndMasks) {
  const Tensor a = call("aten::to.dtype", numbers({70, 33}, Dtype::F32), Dtype::C128);
  const Tensor b = turned(call("aten::to.dtype", numbers({33, 70}, Dtype::F32), Dtype::C128));
  const Tensor same = call("aten::eq.Tensor", call("aten::add.Tensor", a, b),
                           call("aten::add.Tensor", a, flat(b, {70, 33})));
  EXPECT_EQ(elements(same), Doubles(70 * 33, 1.0));
  const Tensor mask = turned(call("aten::gt.Scalar", numbers({33, 70}, Dtype::F32), 20.0));
  const Tensor x = numbers({70, 33}, Dtype::F16), y = numbers({33}, Dtype::I64);
  EXPECT_EQ(elements(call("aten::where.self", mask, x, y)),
            elements(call("aten::where.self", flat(mask, {70, 33}), x, flat(y, {70, 33}))));
}

TEST(Layouts, ResultsThatAreTurnedThemselves) {
  const Tensor a = numbers({70, 33}, Dtype::F32), b = numbers({70, 33}, Dtype::I16);
  const Tensor out = turned(numbers({33, 70}, Dtype::F64));
  call("aten::add.out", a, b, kw("out", out));
  EXPECT_EQ(elements(out), elements(call("aten::add.Tensor", a, b)));
  EXPECT_EQ(strides(out), (Ints{1, 70}));
}

// Compares the processor's conversions of all bit patterns with the nearest float16, ties to even.
TEST(Layouts, Halves_AreConvertedAsTheirBitsSay) {
  std::vector<int16_t> bits;
  for (int32_t i = 0; i < 65536; ++i) bits.push_back(static_cast<int16_t>(i));
  const Tensor halves = call("aten::view.dtype", from_values(bits), Dtype::F16);
  const Tensor floats = call("aten::to.dtype", halves, Dtype::F32);
  for (int32_t i = 0; i < 65536; ++i) {
    const int exponent = i >> 10 & 31;
    const int fraction = i & 1023;
    const float expected = exponent == 0
                               ? std::ldexp(static_cast<float>(fraction), -24)
                               : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    const float got = std::abs(floats.data<float>()[i]);
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(got), fraction != 0) << i;
      EXPECT_EQ(std::isinf(got), fraction == 0) << i;
    } else {
      ASSERT_EQ(got, expected) << i;
    }
  }
  const Tensor back =
      call("aten::view.dtype", call("aten::to.dtype", floats, Dtype::F16), Dtype::I16);
  for (int32_t i = 0; i < 65536; ++i) {
    const bool is_nan = (i >> 10 & 31) == 31 && (i & 1023) != 0;
    if (is_nan) continue;
    ASSERT_EQ(back.data<int16_t>()[i], bits[static_cast<size_t>(i)]) << i;
  }
}

// More than one vector of bfloat16, each of which has the upper half of a float's bits.
TEST(Layouts, BFloats_AreConvertedAsTheirBitsSay) {
  std::vector<int16_t> bits;
  std::vector<int32_t> wide;
  for (int32_t i = 0; i < 65536; ++i) {
    if ((i & 0x7FFF) > 0x7F80) continue;  // NaN
    bits.push_back(static_cast<int16_t>(i));
    wide.push_back(static_cast<int32_t>(static_cast<uint32_t>(i) << 16));
  }
  const Tensor bfloats = call("aten::view.dtype", from_values(bits), Dtype::BF16);
  const Tensor floats = call("aten::to.dtype", bfloats, Dtype::F32);
  EXPECT_EQ(elements(call("aten::view.dtype", floats, Dtype::I32)), elements(from_values(wide)));
  const Tensor back = call("aten::to.dtype", floats, Dtype::BF16);
  EXPECT_EQ(elements(call("aten::view.dtype", back, Dtype::I16)), elements(from_values(bits)));
}

TEST(Layouts, FloatsBetweenTwoBFloats_GoToTheNearest_TiesToEven) {
  std::vector<float> values;
  Doubles nearest;
  for (int i = 0; i < 5; ++i) {  // several vectors and a remainder
    for (const float x : {257.0F, 259.0F, 258.9F, 0x1.FFp127F, NAN, -257.0F, 0x1.8p-133F}) {
      values.push_back(x);
    }
    nearest.insert(nearest.end(), {256, 260, 258, INFINITY, NAN, -256, 0x1p-132});
  }
  const Doubles got = elements(call("aten::to.dtype", from_values(values), Dtype::BF16));
  ASSERT_EQ(got.size(), nearest.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i] == nearest[i] || (std::isnan(got[i]) && std::isnan(nearest[i]))) << got[i];
  }
}

TEST(Layouts, FloatsBetweenTwoHalves_GoToTheNearest_TiesToEven) {
  const Tensor floats = Tensor::from<float>(
      {2049.0F, 2051.0F, 2050.9F, 65519.0F, 65520.0F, 0x1p-25F, 0x1.8p-24F, 1e-9F, -2049.0F}, {9});
  EXPECT_EQ(elements(call("aten::to.dtype", floats, Dtype::F16)),
            (Doubles{2048, 2052, 2050, 65504, INFINITY, 0, 0x1p-23, 0, -2048}));
}

}  // namespace
}  // namespace tenon::tests
