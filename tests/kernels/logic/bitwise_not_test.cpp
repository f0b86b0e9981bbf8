// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_not.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BitwiseNot, Bools_AreTheOtherOne) {
  EXPECT_EQ(elements(call("aten::bitwise_not", Tensor::from<int32_t>({0, 5}, {2}))),
            (Doubles{-1, -6}));
  EXPECT_EQ(call("aten::bitwise_not", meta({1}, Dtype::Bool)).dtype(), Dtype::Bool);
}

}  // namespace
}  // namespace tenon::tests
