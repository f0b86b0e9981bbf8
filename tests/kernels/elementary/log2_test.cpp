// SPDX-License-Identifier: Apache-2.0
// aten::log2.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Log2, WholePowers_AreExact) {
  EXPECT_EQ(elements(call("aten::log2", Tensor::from<float>({8, 0.5}, {2}))), (Doubles{3, -1}));
}

}  // namespace
}  // namespace tenon::tests
