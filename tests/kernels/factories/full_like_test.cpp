// SPDX-License-Identifier: Apache-2.0
// aten::full_like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(FullLike, NumberThatDoesNotFit_IsRefused) {
  const Tensor self = Tensor::from<uint8_t>({1}, {1});
  EXPECT_EQ(error_of([&] { call("aten::full_like", self, Scalar(256)); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
