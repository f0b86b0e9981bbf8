// SPDX-License-Identifier: Apache-2.0
// aten::narrow.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Narrow, IsAView) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  EXPECT_EQ(call("aten::narrow", self, 0, 1, 2).data<float>(), self.data<float>() + 1);
}

}  // namespace
}  // namespace tenon::tests
