// SPDX-License-Identifier: Apache-2.0
// aten::value_selecting_reduction_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ValueSelectingReductionBackward, Indices_SayWhereTheGradientGoes) {
  const Tensor grad = Tensor::from<float>({1, 2}, {2});
  const Tensor indices = Tensor::from<int64_t>({2, 0}, {2});
  const Tensor result =
      call("aten::value_selecting_reduction_backward", grad, 1, indices, Ints{2, 3}, false);
  EXPECT_EQ(elements(result), (Doubles{0, 0, 1, 2, 0, 0}));
}

TEST(ValueSelectingReductionBackward, OtherSizes_AreRefused) {
  const Tensor grad = Tensor::from<float>({1, 2}, {2});
  const Tensor indices = Tensor::from<int64_t>({2, 0}, {2});
  const Error error = error_of([&] {
    call("aten::value_selecting_reduction_backward", grad, 1, indices, Ints{4, 3}, false);
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::value_selecting_reduction_backward: sizes must be those of indices except in "
            "dim 1, got [4, 3] for indices of sizes [2, 1]");
}

}  // namespace
}  // namespace tenon::tests
