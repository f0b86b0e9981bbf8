// SPDX-License-Identifier: Apache-2.0
// aten::scatter and aten::scatter_add.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Scatter, IndexOutOfBounds_WritesNothing) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor index = Tensor::from<int64_t>({0, 2}, {2});
  const Error error = error_of([&] { call("aten::scatter_.value", self, 0, index, 9); });
  EXPECT_EQ(std::string(error.what()),
            "aten::scatter_.value: index must be in [0, 1] for dim 0 of size 2, got 2");
  EXPECT_EQ(elements(self), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
