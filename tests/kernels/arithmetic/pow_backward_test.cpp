// SPDX-License-Identifier: Apache-2.0
// tenon::pow_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(PowBackward, Gradient_IsThatOfThePower) {
  const Tensor grad = Tensor::from<double>({1, 2}, {2});
  const Tensor self = Tensor::from<double>({3, -2}, {2});
  EXPECT_EQ(elements(call("tenon::pow_backward", grad, self, 3)), (Doubles{27, 24}));
}

TEST(PowBackward, PowerOf0_HasGradient0EvenAt0) {
  const Tensor grad = Tensor::from<double>({1, 2}, {2});
  const Tensor self = Tensor::from<double>({0, 5}, {2});
  EXPECT_EQ(elements(call("tenon::pow_backward", grad, self, 0)), (Doubles{0, 0}));
  EXPECT_EQ(elements(call("tenon::pow_backward", grad, self, 0.0)), (Doubles{0, 0}));
}

}  // namespace
}  // namespace tenon::tests
