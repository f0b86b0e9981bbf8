// SPDX-License-Identifier: Apache-2.0
// aten::full.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Full, MetaDevice_AllocatesNothing) {
  const Tensor result = call("aten::full", Ints{1 << 20, 1 << 20, 1 << 10}, Scalar(1.5),
                             kw("device", Device(TENON_DEVICE_META, 0)));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(result.numel(), int64_t{1} << 50);
}

}  // namespace
}  // namespace tenon::tests
