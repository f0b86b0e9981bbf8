// SPDX-License-Identifier: Apache-2.0
// aten::sigmoid_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SigmoidBackward, Gradient_IsThatOfTheResult) {
  const Tensor grad = Tensor::from<double>({2, 1}, {2});
  const Tensor output = Tensor::from<double>({0.5, 0.25}, {2});
  EXPECT_EQ(elements(call("aten::sigmoid_backward", grad, output)), (Doubles{0.5, 0.1875}));
}

}  // namespace
}  // namespace tenon::tests
