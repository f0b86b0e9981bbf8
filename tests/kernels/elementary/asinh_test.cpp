// SPDX-License-Identifier: Apache-2.0
// aten::asinh.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Asinh, LargeNumbers_KeepInRange) {
  EXPECT_NEAR(elements(call("aten::asinh", Tensor::from<double>({1e300}, {1})))[0],
              691.4686750787736, 1e-9);
}

}  // namespace
}  // namespace tenon::tests
