// SPDX-License-Identifier: Apache-2.0
// aten::square.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Square, OfBools_IsAnInteger) {
  EXPECT_EQ(call("aten::square", meta({2}, Dtype::Bool)).dtype(), Dtype::I64);
}

}  // namespace
}  // namespace tenon::tests
