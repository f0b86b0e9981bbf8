// SPDX-License-Identifier: Apache-2.0
// aten::as_strided.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(AsStrided, ReachThatOverflows_IsRefused) {
  const Tensor self = Tensor::empty(Ints{4}, Dtype::F32);
  EXPECT_EQ(error_of([&] {
              call("aten::as_strided", self, Ints{3, 3}, Ints{INT64_MAX / 2, INT64_MAX / 2});
            }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
