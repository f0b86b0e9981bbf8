// SPDX-License-Identifier: Apache-2.0
// aten::masked_fill.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MaskedFill, MaskOfBytes_IsRefused) {
  const Error error =
      error_of([] { call("aten::masked_fill.Scalar", meta({2}), meta({2}, Dtype::U8), 1); });
  EXPECT_EQ(std::string(error.what()),
            "aten::masked_fill.Scalar: mask must be a bool tensor, got uint8");
}

TEST(MaskedFill, ValueWithDims_IsRefused) {
  const Error error = error_of(
      [] { call("aten::masked_fill.Tensor", meta({2}), meta({2}, Dtype::Bool), meta({1})); });
  EXPECT_EQ(std::string(error.what()),
            "aten::masked_fill.Tensor: value must be a 0-dim tensor, got one of sizes [1]");
}

TEST(MaskedFill, InPlace_WritesAndReturnsSelf) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  const Tensor mask = call("aten::gt.Scalar", self, 1.5);
  EXPECT_EQ(call("aten::masked_fill_.Scalar", self, mask, 0).get(), self.get());
  EXPECT_EQ(elements(self), (Doubles{1, 0, 0}));
}

}  // namespace
}  // namespace tenon::tests
