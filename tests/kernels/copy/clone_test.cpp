// SPDX-License-Identifier: Apache-2.0
// aten::clone.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Clone, Memory_IsItsOwn) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor copy = call("aten::clone", self);
  call("aten::zero_", self);
  EXPECT_EQ(elements(copy), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
