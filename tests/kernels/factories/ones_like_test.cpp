// SPDX-License-Identifier: Apache-2.0
// aten::ones_like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(OnesLike, MetaTensor_StaysOnMeta) {
  const Tensor result = call("aten::ones_like", meta({2, 3}, Dtype::I16));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(result.dtype(), Dtype::I16);
}

TEST(OnesLike, OtherDtype_IsTaken) {
  const Tensor result =
      call("aten::ones_like", Tensor::from<float>({7, 8}, {2}), kw("dtype", Dtype::Bool));
  EXPECT_EQ(elements(result), (Doubles{1, 1}));
}

}  // namespace
}  // namespace tenon::tests
