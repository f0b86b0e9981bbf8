// SPDX-License-Identifier: Apache-2.0
// aten::zero_.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Zero, View_LeavesTheRestAlone) {
  const Tensor base = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  call("aten::zero_", call("aten::select.int", base, 1, 1));
  EXPECT_EQ(elements(base), (Doubles{1, 0, 3, 4, 0, 6}));
}

}  // namespace
}  // namespace tenon::tests
