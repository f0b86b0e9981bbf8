// SPDX-License-Identifier: Apache-2.0
// aten::amin.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Amin, MetaTensor_GivesShapeAndDtypeOnly) {
  EXPECT_EQ(sizes(call("aten::amin", meta({2, 3}), Ints{1}, true)), (Ints{2, 1}));
}

}  // namespace
}  // namespace tenon::tests
