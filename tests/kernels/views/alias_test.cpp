// SPDX-License-Identifier: Apache-2.0
// aten::alias.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Alias, Result_IsAnotherTensorOnTheSameData) {
  const Tensor self = Tensor::from<float>({1}, {1});
  const Tensor other = call("aten::alias", self);
  EXPECT_NE(other.get(), self.get());
  EXPECT_EQ(other.raw_data(), self.raw_data());
}

}  // namespace
}  // namespace tenon::tests
