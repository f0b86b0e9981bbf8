// SPDX-License-Identifier: Apache-2.0
// aten::flatten.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Flatten, Contiguous_IsAView) {
  const Tensor self = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(call("aten::flatten.using_ints", self).raw_data(), self.raw_data());
}

}  // namespace
}  // namespace tenon::tests
