// SPDX-License-Identifier: Apache-2.0
// aten::contiguous.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Contiguous, ContiguousTensor_IsReturnedItself) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  EXPECT_EQ(call("aten::contiguous", self).get(), self.get());
}

}  // namespace
}  // namespace tenon::tests
