// SPDX-License-Identifier: Apache-2.0
// aten::t.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Transpose2d, Matrix_IsAView) {
  const Tensor base = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(elements(call("aten::t", base)), (Doubles{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(call("aten::t", base).raw_data(), base.raw_data());
}

}  // namespace
}  // namespace tenon::tests
