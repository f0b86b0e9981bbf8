// SPDX-License-Identifier: Apache-2.0
// aten::atan.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Atan, Infinity_IsAQuarterTurn) {
  EXPECT_NEAR(elements(call("aten::atan", Tensor::from<double>({-INFINITY}, {1})))[0],
              -1.5707963267948966, 1e-15);
}

}  // namespace
}  // namespace tenon::tests
