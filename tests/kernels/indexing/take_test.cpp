// SPDX-License-Identifier: Apache-2.0
// aten::take and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Take, Gradient_AddsUp) {
  const Tensor grad = Tensor::from<float>({1, 2, 4}, {3});
  const Tensor index = Tensor::from<int64_t>({3, 3, 0}, {3});
  EXPECT_EQ(elements(call("tenon::take_backward", grad, Ints{2, 2}, index)), (Doubles{4, 0, 0, 3}));
}

}  // namespace
}  // namespace tenon::tests
