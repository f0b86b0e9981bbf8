// SPDX-License-Identifier: Apache-2.0
// aten::nan_to_num.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(NanToNum, SmallFloats_HaveTheirOwnLimits) {
  const Tensor self =
      call("aten::to.dtype", Tensor::from<float>({INFINITY, -INFINITY}, {2}), Dtype::F16);
  EXPECT_EQ(elements(call("aten::nan_to_num", self)), (Doubles{65504, -65504}));
}

}  // namespace
}  // namespace tenon::tests
