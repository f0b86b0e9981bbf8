// SPDX-License-Identifier: Apache-2.0
// aten::rsub.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Rsub, Alpha_ScalesSelf) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  EXPECT_EQ(elements(call("aten::rsub.Scalar", self, 10, 3)), (Doubles{7, 4}));
}

TEST(Rsub, Bools_AreRefused) {
  const Error error =
      error_of([] { call("aten::rsub.Tensor", meta({2}, Dtype::Bool), meta({2}, Dtype::Bool)); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tenon::tests
