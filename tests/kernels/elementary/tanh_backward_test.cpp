// SPDX-License-Identifier: Apache-2.0
// aten::tanh_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(TanhBackward, Gradient_IsThatOfTheResult) {
  const Tensor grad = Tensor::from<double>({2, 1}, {2});
  const Tensor output = Tensor::from<double>({0.5, -0.25}, {2});
  EXPECT_EQ(elements(call("aten::tanh_backward", grad, output)), (Doubles{1.5, 0.9375}));
}

}  // namespace
}  // namespace tenon::tests
