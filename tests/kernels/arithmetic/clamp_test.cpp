// SPDX-License-Identifier: Apache-2.0
// aten::clamp, clamp_min, clamp_max and their gradient.
#include <cmath>
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Clamp, Gradient_StopsAtNumbersAndIsSharedWithTensors) {
  const Tensor grad = Tensor::from<float>({1, 2, 4, 8, 16}, {5});
  const Tensor self = Tensor::from<float>({0, 1, 2, 3, 4}, {5});
  EXPECT_EQ(elements(call("tenon::clamp_backward", grad, self, 1, 3, 0)), (Doubles{0, 0, 4, 0, 0}));
  const Tensor low = Tensor::from<float>({1}, {1});
  const Tensor high = Tensor::from<float>({3}, {1});
  const auto gradient = [&](int64_t which) {
    return elements(call("tenon::clamp_backward.Tensor", grad, self, low, high, which));
  };
  EXPECT_EQ(gradient(0), (Doubles{0, 1, 4, 4, 0}));
  EXPECT_EQ(gradient(1), (Doubles{1, 1, 0, 0, 0}));
  EXPECT_EQ(gradient(2), (Doubles{0, 0, 0, 4, 16}));
}

TEST(Clamp, Nan_OfTheElementOrOfABound_IsTheResult) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from<float>({kNan, 5, 5, -5, 2}, {5});
  const Tensor min = Tensor::from<float>({0, kNan, 0, 0, 4}, {5});
  const Tensor max = Tensor::from<float>({1, 1, kNan, 1, 3}, {5});
  const Doubles between = elements(call("aten::clamp.Tensor", x, min, max));
  EXPECT_TRUE(std::isnan(between[0]) && std::isnan(between[1]) && std::isnan(between[2]));
  EXPECT_EQ(between[3], 0);
  EXPECT_EQ(between[4], 3);  // if the lower bound is larger, the upper one wins
}

}  // namespace
}  // namespace tenon::tests
