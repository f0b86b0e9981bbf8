// SPDX-License-Identifier: Apache-2.0
// aten::nextafter.
#include <limits>
#include <span>
#include <vector>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// The successors of 1, 0, the largest and the smallest normal number, and infinity, in both dtypes.
TEST(Nextafter, SmallFloats_HaveNextNumbersOfTheirOwn) {
  const auto next = [](std::vector<float> from, std::vector<float> towards, Dtype dtype) {
    const int64_t sizes[] = {static_cast<int64_t>(from.size())};
    const auto small = [&](const std::vector<float>& numbers) {
      return call("aten::to.dtype", Tensor::from<float>(std::span<const float>(numbers), sizes),
                  dtype);
    };
    return elements(call("aten::nextafter", small(from), small(towards)));
  };
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(
      next({1, 1, 0, -0.0F, 65504, 0x1p-14F, inf, -2}, {2, 0, 1, -1, inf, 0, 0, 2}, Dtype::F16),
      (std::vector<double>{1 + 0x1p-10, 1 - 0x1p-11, 0x1p-24, -0x1p-24, inf, 0x1p-14 - 0x1p-24,
                           65504, -2 + 0x1p-10}));
  EXPECT_EQ(
      next({1, 1, 0, 0x1p-126F, inf}, {2, 0, 1, 0, 0}, Dtype::BF16),
      (std::vector<double>{1 + 0x1p-7, 1 - 0x1p-8, 0x1p-133, 0x1p-126 - 0x1p-133, 0x1.FEp127}));
}

}  // namespace
}  // namespace tenon::tests
