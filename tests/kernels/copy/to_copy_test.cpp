// SPDX-License-Identifier: Apache-2.0
// aten::_to_copy.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ToCopy, MetaDevice_DropsTheData) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor result = call("aten::_to_copy", self, kw("device", Device(TENON_DEVICE_META, 0)));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(result.dtype(), Dtype::F32);
}

}  // namespace
}  // namespace tenon::tests
