// SPDX-License-Identifier: Apache-2.0
// aten::rsqrt.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Rsqrt, Of0_IsInfinite) {
  EXPECT_EQ(elements(call("aten::rsqrt", Tensor::from<float>({4, 0}, {2}))),
            (Doubles{0.5, INFINITY}));
}

}  // namespace
}  // namespace tenon::tests
