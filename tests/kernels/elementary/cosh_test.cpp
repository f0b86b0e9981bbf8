// SPDX-License-Identifier: Apache-2.0
// aten::cosh.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cosh, IsEven) {
  EXPECT_EQ(elements(call("aten::cosh", Tensor::from<double>({-2}, {1}))),
            elements(call("aten::cosh", Tensor::from<double>({2}, {1}))));
}

}  // namespace
}  // namespace tenon::tests
