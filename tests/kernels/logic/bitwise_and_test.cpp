// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_and.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BitwiseAnd, Bools_AreBoth) {
  const Tensor a = Tensor::from<int64_t>({12, -1}, {2});
  EXPECT_EQ(elements(call("aten::bitwise_and.Tensor", a, Tensor::from<int64_t>({10, 7}, {2}))),
            (Doubles{8, 7}));
}

}  // namespace
}  // namespace tenon::tests
