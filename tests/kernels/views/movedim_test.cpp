// SPDX-License-Identifier: Apache-2.0
// aten::movedim.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Movedim, Result_IsAView) {
  const Tensor base = Tensor::empty(Ints{2, 3, 4}, Dtype::F32);
  const Tensor moved = call("aten::movedim.int", base, 0, -1);
  EXPECT_EQ(sizes(moved), (Ints{3, 4, 2}));
  EXPECT_EQ(moved.raw_data(), base.raw_data());
}

}  // namespace
}  // namespace tenon::tests
