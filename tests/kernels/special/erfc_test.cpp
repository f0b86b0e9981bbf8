// SPDX-License-Identifier: Apache-2.0
// aten::erfc.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Erfc, FarFrom0_KeepsItsDigits) {
  EXPECT_NEAR(
      elements(call("aten::erfc", Tensor::from<double>({10}, {1})))[0] / 2.088487583762545e-45, 1,
      1e-12);
}

}  // namespace
}  // namespace tenon::tests
