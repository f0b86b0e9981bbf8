// SPDX-License-Identifier: Apache-2.0
// aten::sum.
#include <cmath>
#include <span>
#include <vector>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Tensor floats(const std::vector<float>& values) {
  return Tensor::from(std::span(values), Ints{static_cast<int64_t>(values.size())});
}

TEST(Sum, Float32OfManyTerms_ErrorDoesNotGrowWithTheirNumber) {
  const Tensor self = call("aten::full", Ints{1 << 20}, Scalar(0.1), kw("dtype", Dtype::F32));
  const double exact = static_cast<double>(0.1F) * (1 << 20);
  EXPECT_EQ(call("aten::sum", self).data<float>()[0], static_cast<float>(exact));
  // Terms of all magnitudes and both signs, for every length near which the loops change.
  std::vector<float> terms;
  uint32_t state = 1;
  for (int i = 0; i < 9000; ++i) {
    state = state * 1664525 + 1013904223;
    const auto scale = static_cast<float>(1 << (state >> 8) % 12);
    terms.push_back((static_cast<float>(state >> 8) / 8388608.0F - 1.0F) * scale);
  }
  for (const size_t count : {511u, 512u, 575u, 576u, 4095u, 4096u, 4097u, 4608u, 9000u}) {
    double sum = 0, magnitude = 0;
    for (size_t i = 0; i < count; ++i) {
      sum += static_cast<double>(terms[i]);
      magnitude += std::abs(static_cast<double>(terms[i]));
    }
    const std::vector<float> some(terms.begin(), terms.begin() + static_cast<int64_t>(count));
    // Each term rounds at most four times in float32, and the sum once: 2^-24 each time.
    EXPECT_NEAR(call("aten::sum", floats(some)).data<float>()[0], sum, magnitude * 0x5p-24)
        << count;
  }
}

TEST(Sum, Float32LargeTerms_CancelWithoutOverflow) {
  std::vector<float> terms(4096, 3e38F);
  for (size_t i = 2048; i < terms.size(); ++i) terms[i] = -3e38F;
  EXPECT_EQ(call("aten::sum", floats(terms)).data<float>()[0], 0.0F);
  terms[5] = INFINITY;
  EXPECT_EQ(call("aten::sum", floats(terms)).data<float>()[0], INFINITY);
  terms[4000] = -INFINITY;
  EXPECT_TRUE(std::isnan(call("aten::sum", floats(terms)).data<float>()[0]));
}

// As in PyTorch, whose sum with a dtype is the sum of the cast tensor.
TEST(Sum, SmallFloatAskedFor_RoundsEachTermToIt) {
  for (const Dtype own : {Dtype::F32, Dtype::F64, Dtype::C64}) {
    for (const Dtype asked : {Dtype::F16, Dtype::BF16}) {
      const Tensor self = call("aten::_to_copy", floats({1.0004F, -1}), kw("dtype", own));
      EXPECT_EQ(elements(call("aten::sum", self, kw("dtype", asked))), (Doubles{0}));
      const Tensor column = call("aten::unsqueeze", self, int64_t{1});
      EXPECT_EQ(elements(call("aten::sum.dim_IntList", column, Ints{0}, kw("dtype", asked))),
                (Doubles{0}));
    }
  }
}

TEST(Sum, Float32LargeTermsAcrossRows_CancelWithoutOverflow) {
  constexpr int64_t kRows = 21, kColumns = 600;
  const Tensor self = Tensor::empty(Ints{kRows, kColumns}, Dtype::F32);
  float* const terms = self.data<float>();
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const int64_t row = i / kColumns;
    terms[i] = row == 20 ? 1.0F : row < 10 ? 3e38F : -3e38F;
  }
  terms[5] = INFINITY;
  Doubles expected(kColumns, 1);
  expected[5] = INFINITY;
  EXPECT_EQ(elements(call("aten::sum.dim_IntList", self, Ints{0})), expected);
}

// Short rows of a small float are converted many at a time.
TEST(Sum, Float16RowsAndColumns_AreThoseOfFloat32) {
  for (const int64_t columns : {1, 3, 100, 600, 2050, 5000}) {
    std::vector<float> terms;
    for (int64_t i = 0; i < 37 * columns; ++i) terms.push_back(static_cast<float>(i * 7 % 53));
    const Tensor wide = call("aten::view", floats(terms), Ints{37, columns});
    const Tensor half = call("aten::to.dtype", wide, Dtype::F16);
    for (const int64_t dim : {0, 1}) {
      EXPECT_EQ(
          elements(call("aten::sum.dim_IntList", half, Ints{dim}, false, kw("dtype", Dtype::F32))),
          elements(call("aten::sum.dim_IntList", wide, Ints{dim})))
          << columns << " columns, dim " << dim;
    }
  }
  const Tensor none = Tensor::empty(Ints{2, 0}, Dtype::F16);
  EXPECT_EQ(elements(call("aten::sum.dim_IntList", none, Ints{1})), (Doubles{0, 0}));
}

TEST(Sum, MetaTensor_GivesInt64ForBool) {
  const Tensor result = call("aten::sum.dim_IntList", meta({2, 3}, Dtype::Bool), Ints{1}, true);
  EXPECT_EQ(result.dtype(), Dtype::I64);
  EXPECT_EQ(sizes(result), (Ints{2, 1}));
}

TEST(Sum, NoElements_AreZero) {
  EXPECT_EQ(elements(call("aten::sum.dim_IntList", Tensor::empty(Ints{2, 0}, Dtype::F32), Ints{1})),
            (Doubles{0, 0}));
}

}  // namespace
}  // namespace tenon::tests
