// SPDX-License-Identifier: Apache-2.0
// aten::arange.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Arange, LongFloats_DoNotAddUpErrors) {
  const Tensor result = call("aten::arange.start_step", Scalar(0.0), Scalar(1000.0), Scalar(0.1));
  EXPECT_EQ(result.dtype(), Dtype::F32);
  ASSERT_EQ(result.numel(), 10000);
  EXPECT_EQ(result.data<float>()[9999], 999.9F);
}

TEST(Arange, MetaDevice_HasTheLength) {
  const Tensor result = call("aten::arange", Scalar(7), kw("device", Device(TENON_DEVICE_META, 0)));
  EXPECT_EQ(sizes(result), (Ints{7}));
  EXPECT_EQ(result.dtype(), Dtype::I64);
}

}  // namespace
}  // namespace tenon::tests
