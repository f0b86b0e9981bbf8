// SPDX-License-Identifier: Apache-2.0
// aten::clamp, clamp_min, clamp_max and their gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Clamp, AnswersAsPyTorch) { replay("clamp", 90); }

TEST(Clamp, Gradient_StopsBeyondTheBounds) {
  const Tensor grad = Tensor::from<float>({1, 2, 4, 8}, {4});
  const Tensor self = Tensor::from<float>({0, 1, 2, 3}, {4});
  EXPECT_EQ(elements(call("tenon::clamp_backward", grad, self, 1, 2, 0)), (Doubles{0, 2, 4, 0}));
  const Tensor low = Tensor::from<float>({1}, {1});
  const Tensor high = Tensor::from<float>({2}, {1});
  EXPECT_EQ(elements(call("tenon::clamp_backward.Tensor", grad, self, low, high, 1)),
            (Doubles{1, 0, 0, 0}));
  EXPECT_EQ(elements(call("tenon::clamp_backward.Tensor", grad, self, low, high, 2)),
            (Doubles{0, 0, 0, 8}));
}

}  // namespace
}  // namespace tenon::tests
