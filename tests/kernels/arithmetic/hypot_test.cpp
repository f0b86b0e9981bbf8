// SPDX-License-Identifier: Apache-2.0
// aten::hypot.
#include <cmath>
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Hypot, IsInRangeWhereSquaresAreNot) {
  EXPECT_NEAR(elements(call("aten::hypot", Tensor::from<double>({3e200}, {1}),
                            Tensor::from<double>({4e200}, {1})))[0] /
                  5e200,
              1, 1e-15);
}

TEST(Hypot, Floats_AreInRangeAndInfinityWins) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::from<float>({3e38F, 3e-40F, kNan, -kInfinity, kNan, 0}, {6});
  const Tensor y = Tensor::from<float>({1e38F, 4e-40F, 1, kNan, kInfinity, -0.0F}, {6});
  const Doubles lengths = elements(call("aten::hypot", x, y));
  EXPECT_NEAR(lengths[0] / std::hypot(double{3e38F}, double{1e38F}), 1, 1e-7);
  EXPECT_NEAR(lengths[1] / std::hypot(double{3e-40F}, double{4e-40F}), 1, 1e-5);
  EXPECT_TRUE(std::isnan(lengths[2]));
  EXPECT_EQ(lengths[3], kInfinity);
  EXPECT_EQ(lengths[4], kInfinity);
  EXPECT_EQ(lengths[5], 0);
}

}  // namespace
}  // namespace tenon::tests
