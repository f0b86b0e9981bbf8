// SPDX-License-Identifier: Apache-2.0
// aten::mean.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mean, AnswersAsPyTorch) { replay("mean", 70); }

TEST(Mean, Integers_AreNotSupportedWithoutDtype) {
  const Tensor self = Tensor::from<int32_t>({1, 2}, {2});
  EXPECT_EQ(error_of([&] { call("aten::mean.dim", self, Ints{0}); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(elements(call("aten::mean.dim", self, Ints{0}, kw("dtype", Dtype::F64))),
            (Doubles{1.5}));
}

TEST(Mean, NoElements_AreNaN) {
  const double mean = elements(call("aten::mean", Tensor::empty(Ints{0}, Dtype::F32)))[0];
  EXPECT_NE(mean, mean);
}

}  // namespace
}  // namespace tenon::tests
