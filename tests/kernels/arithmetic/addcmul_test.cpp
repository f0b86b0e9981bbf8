// SPDX-License-Identifier: Apache-2.0
// aten::addcmul.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Addcmul, InPlace_KeepsTheVersionsOfFactors) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor factor = Tensor::from<float>({3, 4}, {2});
  const int64_t version = tenon_tensor_version(factor.get());
  call("aten::addcmul_", self, factor, factor);
  EXPECT_EQ(elements(self), (Doubles{10, 18}));
  EXPECT_EQ(tenon_tensor_version(self.get()), 1);
  EXPECT_EQ(tenon_tensor_version(factor.get()), version);
}

TEST(Addcmul, MetaTensors_GiveTheBroadcastShape) {
  const Tensor result =
      call("aten::addcmul", meta({2, 1}, Dtype::F16), meta({3}, Dtype::I64), meta({}, Dtype::F64));
  EXPECT_EQ(result.dtype(), Dtype::F16);
  EXPECT_EQ(sizes(result), (Ints{2, 3}));
}

}  // namespace
}  // namespace tenon::tests
