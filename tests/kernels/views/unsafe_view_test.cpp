// SPDX-License-Identifier: Apache-2.0
// aten::_unsafe_view.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(UnsafeView, MetaTensor_GetsTheSizes) {
  EXPECT_EQ(sizes(call("aten::_unsafe_view", meta({2, 3}), Ints{-1})), (Ints{6}));
}

}  // namespace
}  // namespace tenon::tests
