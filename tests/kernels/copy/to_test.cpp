// SPDX-License-Identifier: Apache-2.0
// aten::to.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(To, NothingToChange_ReturnsTheTensorItself) {
  const Tensor self = Tensor::from<float>({1}, {1});
  EXPECT_EQ(call("aten::to.dtype", self, Dtype::F32).get(), self.get());
  EXPECT_EQ(call("aten::to.device", self, Device("cpu"), Dtype::F32).get(), self.get());
}

TEST(To, MetaDevice_DropsTheData) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor result = call("aten::to.device", self, Device("meta"), Dtype::F16);
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(result.dtype(), Dtype::F16);
}

TEST(To, Other_GivesItsDtype) {
  const Tensor self = Tensor::from<float>({1.5, 2}, {2});
  EXPECT_EQ(call("aten::to.other", self, Tensor::from<int64_t>({1}, {1})).dtype(), Dtype::I64);
  EXPECT_EQ(call("aten::to.other", self, self).get(), self.get());
}

TEST(To, Options_AreKeptWhereNotGiven) {
  const Tensor self = Tensor::from<float>({1.5, 2}, {2});
  EXPECT_EQ(call("aten::to.dtype_layout", self).get(), self.get());
  const Tensor result = call("aten::to.dtype_layout", self, kw("dtype", Dtype::F64));
  EXPECT_EQ(result.dtype(), Dtype::F64);
}

}  // namespace
}  // namespace tenon::tests
