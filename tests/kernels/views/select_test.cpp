// SPDX-License-Identifier: Apache-2.0
// aten::select.int.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Select, IndexOutOfRange_IsAnIndexErrorThatShowsSizes) {
  const Error error = error_of([] {
    call("aten::select.int", Tensor::empty(Ints{2, 3}, Dtype::F32), 0, 2);
  });
  EXPECT_EQ(error.code(), TENON_ERROR_INDEX);
  EXPECT_EQ(std::string(error.what()),
            "aten::select.int: index must be in [-2, 1] for sizes [2, 3] at dim 0, got 2");
}

}  // namespace
}  // namespace tenon::tests
