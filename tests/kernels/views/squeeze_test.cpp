// SPDX-License-Identifier: Apache-2.0
// aten::squeeze.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Squeeze, DimOfAnotherSize_Stays) {
  EXPECT_EQ(sizes(call("aten::squeeze.dim", meta({2, 1}), 0)), (Ints{2, 1}));
}

}  // namespace
}  // namespace tenon::tests
