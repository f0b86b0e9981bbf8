// SPDX-License-Identifier: Apache-2.0
// aten::select_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SelectBackward, Index_IsThatOfSelect) {
  const Tensor grad = Tensor::from<float>({1, 2}, {2});
  const Tensor result = call("aten::select_backward", grad, Ints{2, 3}, 1, -1);
  EXPECT_EQ(elements(result), (Doubles{0, 0, 1, 0, 0, 2}));
}

}  // namespace
}  // namespace tenon::tests
