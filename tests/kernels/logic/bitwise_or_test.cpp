// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_or.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BitwiseOr, Number_KeepsTheDtype) {
  EXPECT_EQ(call("aten::bitwise_or.Scalar", Tensor::from<int8_t>({1}, {1}), 6).dtype(), Dtype::I8);
}

}  // namespace
}  // namespace tenon::tests
