// SPDX-License-Identifier: Apache-2.0
// aten::threshold_backward.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ThresholdBackward, Threshold_IsNotAbove) {
  const Tensor grad = Tensor::from<float>({1, 2, 3, 4}, {4});
  const Tensor self = Tensor::from<float>({0.5F, 0.25F, 0.75F, NAN}, {4});
  EXPECT_EQ(elements(call("aten::threshold_backward", grad, self, 0.5)), (Doubles{0, 0, 3, 4}));
}

}  // namespace
}  // namespace tenon::tests
