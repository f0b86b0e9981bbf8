// SPDX-License-Identifier: Apache-2.0
// tenon::sinc_backward.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SincBackward, SlopeOfSinc_AndNoneAtZero) {
  const Tensor grad = Tensor::from<double>({1, 2, 1}, {3});
  const Tensor self = Tensor::from<double>({0, 1, 0.5}, {3});
  const Doubles slope = elements(call("tenon::sinc_backward", grad, self));
  EXPECT_EQ(slope[0], 0);
  EXPECT_NEAR(slope[1], -2, 1e-12);  // cos(pi) / 1
  EXPECT_NEAR(slope[2], -4 / M_PI, 1e-12);
}

}  // namespace
}  // namespace tenon::tests
