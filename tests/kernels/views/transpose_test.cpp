// SPDX-License-Identifier: Apache-2.0
// aten::transpose.int.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Transpose, DimOutOfRange_IsAnIndexError) {
  const Error error = error_of([] {
    call("aten::transpose.int", Tensor::empty(Ints{2, 3}, Dtype::F32), 0, 2);
  });
  EXPECT_EQ(error.code(), TENON_ERROR_INDEX);
  EXPECT_EQ(std::string(error.what()), "aten::transpose.int: dim must be in [-2, 1], got 2");
}

}  // namespace
}  // namespace tenon::tests
