// SPDX-License-Identifier: Apache-2.0
// aten::empty_like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(EmptyLike, OrderInMemory_IsKept) {
  const Tensor self = call("aten::t", Tensor::empty(Ints{2, 3}, Dtype::F64));
  const Tensor result = call("aten::empty_like", self);
  EXPECT_EQ(strides(result), (Ints{1, 3}));
  EXPECT_EQ(result.dtype(), Dtype::F64);
  EXPECT_NE(result.raw_data(), self.raw_data());
}

TEST(EmptyLike, ExpandedTensor_GetsElementsOfItsOwn) {
  const Tensor self = call("aten::expand", Tensor::empty(Ints{1, 3}, Dtype::F32), Ints{2, 3});
  EXPECT_EQ(strides(call("aten::empty_like", self)), (Ints{3, 1}));
}

TEST(EmptyLike, GivenOptions_ComeFirst) {
  const Tensor result =
      call("aten::empty_like", meta({2}), kw("device", Device("cpu")), kw("dtype", Dtype::I8));
  EXPECT_EQ(result.device().type, TENON_DEVICE_CPU);
  EXPECT_EQ(result.dtype(), Dtype::I8);
}

TEST(EmptyLike, OutForm_GivesTheSizes) {
  const Tensor out = Tensor::empty(Ints{2}, Dtype::I16);
  call("aten::empty_like.out", Tensor::empty(Ints{3, 4}, Dtype::F32), kw("out", out));
  EXPECT_EQ(sizes(out), (Ints{3, 4}));
}

}  // namespace
}  // namespace tenon::tests
