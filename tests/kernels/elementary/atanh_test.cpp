// SPDX-License-Identifier: Apache-2.0
// aten::atanh.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Atanh, Of1_IsInfinite) {
  EXPECT_EQ(elements(call("aten::atanh", Tensor::from<double>({-1, 1}, {2}))),
            (Doubles{-INFINITY, INFINITY}));
}

}  // namespace
}  // namespace tenon::tests
