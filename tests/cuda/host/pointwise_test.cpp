// SPDX-License-Identifier: Apache-2.0
// Cases that no shipped operator reaches: eight operands, and more elements than 32 bits count.
#include "kernels/cuda/loops/pointwise.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tenon::kernels::cuda {
namespace {

struct SumOfSeven {
  int64_t operator()(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
                     int64_t g) const {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
  }
};

struct Multiples {
  Results<int64_t, bool, int64_t, int64_t, int64_t, int64_t, int64_t> operator()(int64_t x) const {
    return {x, {x > 5, {3 * x, {4 * x, {5 * x, {6 * x, {7 * x}}}}}}};
  }
};

// One dim that is contiguous, or that takes every second element.
Strided walk_over(std::vector<std::vector<int64_t>>& operands, int64_t numel, bool has_gaps) {
  Strided walk;
  walk.ndim = 1;
  walk.numel = walk.sizes[0] = numel;
  for (size_t k = 0; k < operands.size(); ++k) {
    walk.data[k] = reinterpret_cast<char*>(operands[k].data());
    walk.strides[k][0] = has_gaps ? 16 : 8;
  }
  return walk;
}

class CudaPointwise : public testing::TestWithParam<bool> {};

TEST_P(CudaPointwise, SevenInputs_AreReadInOrder) {
  constexpr int64_t kNumel = 23;
  std::vector<std::vector<int64_t>> operands(8, std::vector<int64_t>(2 * kNumel));
  for (size_t k = 1; k < 8; ++k) {
    for (size_t i = 0; i < 2 * kNumel; ++i) {
      operands[k][i] = static_cast<int64_t>(k * 1000 + i);
    }
  }
  Pointwise<int64_t, SumOfSeven>::launch("test::sum", walk_over(operands, kNumel, GetParam()), {},
                                         nullptr);
  for (size_t i = 0; i < kNumel; ++i) {
    const size_t at = GetParam() ? 2 * i : i;
    int64_t expected = 0;
    for (size_t k = 1; k < 8; ++k) expected += static_cast<int64_t>(k) * operands[k][at];
    ASSERT_EQ(operands[0][at], expected) << i;
  }
}

TEST_P(CudaPointwise, SevenResults_AreWrittenInOrder) {
  constexpr int64_t kNumel = 23;
  std::vector<std::vector<int64_t>> operands(8, std::vector<int64_t>(2 * kNumel));
  for (size_t i = 0; i < 2 * kNumel; ++i) operands[7][i] = static_cast<int64_t>(i);
  std::vector<uint8_t> bools(2 * kNumel);
  Strided walk = walk_over(operands, kNumel, GetParam());
  walk.data[1] = reinterpret_cast<char*>(bools.data());
  walk.strides[1][0] = GetParam() ? 2 : 1;
  Pointwise<int64_t, Multiples>::launch("test::multiples", walk, {}, nullptr);
  for (size_t i = 0; i < kNumel; ++i) {
    const size_t at = GetParam() ? 2 * i : i;
    ASSERT_EQ(bools[at], at > 5 ? 1 : 0) << i;
    for (size_t k : {0, 2, 3, 4, 5, 6}) {
      ASSERT_EQ(operands[k][at], static_cast<int64_t>((k + 1) * at)) << k << " at " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, CudaPointwise, testing::Bool());

TEST(CudaDivider, AnyIndex_IsDividedAsBySlash) {
  std::mt19937 random(1);
  std::vector<int64_t> sizes{1, 2, 3, 5, 7, 255, 256, 257, 65535, 65536, 65537, (1LL << 31) - 1};
  for (int i = 0; i < 1000; ++i) sizes.push_back(1 + random() % ((1U << 31) - 1));
  for (const int64_t size : sizes) {
    const Divider divider(size);
    const auto narrow = static_cast<uint32_t>(size);
    for (const uint32_t index : {0U, 1U, narrow - 1, narrow, narrow + 1, (1U << 31) - 1}) {
      if (index >> 31 != 0) continue;
      ASSERT_EQ(divider.divide(index), index / narrow) << index << " by " << size;
    }
    for (int i = 0; i < 100; ++i) {
      const uint32_t index = random() >> 1;
      ASSERT_EQ(divider.divide(index), index / narrow) << index << " by " << size;
    }
  }
}

TEST(CudaSteps, MoreThan32Bits_AreLocated) {
  Strided walk;
  walk.ndim = 2;
  walk.sizes[0] = 1 << 17;
  walk.sizes[1] = 1 << 16;
  walk.numel = int64_t{1} << 33;
  walk.strides[0][0] = 4;
  walk.strides[0][1] = int64_t{1} << 20;
  const Steps<1> steps(walk);
  for (const int64_t index : {int64_t{0}, int64_t{131071}, int64_t{131072}, walk.numel - 1}) {
    char* at[] = {nullptr};
    steps.move(index, at);
    EXPECT_EQ(reinterpret_cast<intptr_t>(at[0]),
              index % (1 << 17) * 4 + index / (1 << 17) * (int64_t{1} << 20))
        << index;
  }
}

}  // namespace
}  // namespace tenon::kernels::cuda
