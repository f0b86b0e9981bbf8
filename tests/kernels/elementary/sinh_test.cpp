// SPDX-License-Identifier: Apache-2.0
// aten::sinh.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sinh, IsOdd) {
  EXPECT_EQ(elements(call("aten::sinh", Tensor::from<double>({-2}, {1})))[0],
            -elements(call("aten::sinh", Tensor::from<double>({2}, {1})))[0]);
}

}  // namespace
}  // namespace tenon::tests
