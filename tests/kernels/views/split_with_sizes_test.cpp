// SPDX-License-Identifier: Apache-2.0
// aten::split_with_sizes.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SplitWithSizes, OtherSum_IsAnErrorThatShowsBoth) {
  const Error error = error_of([] {
    Op("aten::split_with_sizes")(Tensor::empty(Ints{2, 3}, Dtype::F32), Ints{1, 1}, 1);
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::split_with_sizes: split_sizes must sum to 3, the size of dim 1, got [1, 1]");
}

}  // namespace
}  // namespace tenon::tests
