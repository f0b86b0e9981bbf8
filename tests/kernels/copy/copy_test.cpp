// SPDX-License-Identifier: Apache-2.0
// aten::copy_.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Copy, MetaSource_IsDataDependent) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::F32);
  EXPECT_EQ(error_of([&] { call("aten::copy_", self, meta({2})); }).code(),
            TENON_ERROR_DATA_DEPENDENT);
}

TEST(Copy, ToMeta_ChecksSizesOnly) {
  const Tensor target = meta({2, 3});
  EXPECT_EQ(call("aten::copy_", target, Tensor::empty(Ints{3}, Dtype::F64)).get(), target.get());
  EXPECT_EQ(
      error_of([&] { call("aten::copy_", target, Tensor::empty(Ints{2}, Dtype::F32)); }).code(),
      TENON_ERROR_INVALID_ARGUMENT);
}

TEST(Copy, FloatsOutOfRange_BecomeTheSmallestInteger) {
  const Tensor target = Tensor::empty(Ints{3}, Dtype::I32);
  call("aten::copy_", target, Tensor::from<double>({1e300, -1e300, 3e9}, {3}));
  EXPECT_EQ(elements(target), Doubles(3, -2147483648.0));
}

TEST(Copy, SameStorageSameView_IsLeftAlone) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  call("aten::copy_", call("aten::alias", self), call("aten::alias", self));
  EXPECT_EQ(elements(self), (Doubles{1, 2, 3}));
}

}  // namespace
}  // namespace tenon::tests
