// SPDX-License-Identifier: Apache-2.0
// aten::matmul.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Matmul, Vectors_GiveAZeroDimTensor) {
  const Tensor a = Tensor::from<float>({1, 2, 3}, {3});
  const Tensor dot = call("aten::matmul", a, a);
  EXPECT_EQ(dot.ndim(), 0);
  EXPECT_EQ(elements(dot), (Doubles{14}));
}

// Tests each operator that matmul calls.
TEST(Matmul, OutThatIsAFactorOfOtherSizes_IsReadAsItWas) {
  const Tensor column = call("aten::clone", Tensor::from<float>({1, 2}, {2, 1}));
  call("aten::matmul.out", column, call("aten::t", column), kw("out", column));
  EXPECT_EQ(elements(column), (Doubles{1, 2, 2, 4}));
  const Tensor row = call("aten::clone", Tensor::from<float>({1, 2}, {2}));
  call("aten::matmul.out", row, row, kw("out", row));
  EXPECT_EQ(sizes(row), Ints{});
  EXPECT_EQ(elements(row), (Doubles{5}));
  const Tensor batch = call("aten::clone", Tensor::from<float>({1, 2, 3, 4}, {2, 2, 1}));
  call("aten::matmul.out", batch, call("aten::transpose.int", batch, 1, 2), kw("out", batch));
  EXPECT_EQ(elements(batch), (Doubles{1, 2, 2, 4, 9, 12, 12, 16}));
}

}  // namespace
}  // namespace tenon::tests
