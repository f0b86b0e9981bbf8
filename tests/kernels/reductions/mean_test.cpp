// SPDX-License-Identifier: Apache-2.0
// aten::mean.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mean, Integers_AreNotSupportedWithoutDtype) {
  const Tensor self = Tensor::from<int32_t>({1, 2}, {2});
  EXPECT_EQ(error_of([&] { call("aten::mean.dim", self, Ints{0}); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(elements(call("aten::mean.dim", self, Ints{0}, kw("dtype", Dtype::F64))),
            (Doubles{1.5}));
}

// As in PyTorch, only the mean is rounded.
TEST(Mean, SmallFloatAskedFor_KeepsTheDigitsOfTerms) {
  for (const Dtype own : {Dtype::F32, Dtype::F64, Dtype::C64}) {
    const Tensor terms = Tensor::from<float>({1.0004F, -1}, {2, 1});
    const Tensor self = call("aten::_to_copy", terms, kw("dtype", own));
    const Doubles half{0.00020003318786621094};
    EXPECT_EQ(elements(call("aten::mean", self, kw("dtype", Dtype::F16))), half);
    EXPECT_EQ(elements(call("aten::mean.dim", self, Ints{0}, kw("dtype", Dtype::F16))), half);
    const Doubles bfloat{0.0002002716064453125};
    EXPECT_EQ(elements(call("aten::mean", self, kw("dtype", Dtype::BF16))), bfloat);
  }
}

TEST(Mean, NoElements_AreNaN) {
  const double mean = elements(call("aten::mean", Tensor::empty(Ints{0}, Dtype::F32)))[0];
  EXPECT_NE(mean, mean);
}

}  // namespace
}  // namespace tenon::tests
