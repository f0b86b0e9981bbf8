// SPDX-License-Identifier: Apache-2.0
// aten::gather, its gradient, and aten::take_along_dim.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Gather, AnswersAsPyTorch) { replay("gather", 40); }

TEST(Gather, IndexOfNoElements_IsOfAnyDtype) {
  const Tensor index = Tensor::empty(Ints{2, 0}, Dtype::U8);
  const Tensor result = call("aten::gather", Tensor::from<float>({1, 2}, {2}), 0, index);
  EXPECT_EQ(sizes(result), (Ints{2, 0}));
}

TEST(Gather, Gradient_AddsUp) {
  const Tensor grad = Tensor::from<float>({1, 2}, {1, 2});
  const Tensor index = Tensor::from<int64_t>({1, 1}, {1, 2});
  EXPECT_EQ(elements(call("tenon::gather_backward", grad, Ints{1, 3}, 1, index)),
            (Doubles{0, 3, 0}));
}

}  // namespace
}  // namespace tenon::tests
