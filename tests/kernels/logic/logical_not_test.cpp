// SPDX-License-Identifier: Apache-2.0
// aten::logical_not.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LogicalNot, NaN_IsTrue) {
  EXPECT_EQ(elements(call("aten::logical_not", Tensor::from<float>({NAN, 0}, {2}))),
            (Doubles{0, 1}));
}

}  // namespace
}  // namespace tenon::tests
