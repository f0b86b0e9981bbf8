// SPDX-License-Identifier: Apache-2.0
// aten::zeros_like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ZerosLike, MetaTensor_StaysOnMeta) {
  const Tensor result = call("aten::zeros_like", meta({2, 3}, Dtype::I16));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(result.dtype(), Dtype::I16);
}

TEST(ZerosLike, OtherDtype_IsTaken) {
  const Tensor result =
      call("aten::zeros_like", Tensor::from<float>({7, 8}, {2}), kw("dtype", Dtype::Bool));
  EXPECT_EQ(elements(result), (Doubles{0, 0}));
}

}  // namespace
}  // namespace tenon::tests
