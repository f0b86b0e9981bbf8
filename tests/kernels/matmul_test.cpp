// SPDX-License-Identifier: Apache-2.0
// aten::matmul.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Matmul, AnswersAsPyTorch) { replay("matmul", 28); }

TEST(Matmul, Vectors_GiveAZeroDimTensor) {
  const Tensor a = Tensor::from<float>({1, 2, 3}, {3});
  const Tensor dot = call("aten::matmul", a, a);
  EXPECT_EQ(dot.ndim(), 0);
  EXPECT_EQ(elements(dot), (Doubles{14}));
}

}  // namespace
}  // namespace tenon::tests
