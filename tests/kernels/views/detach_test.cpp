// SPDX-License-Identifier: Apache-2.0
// aten::detach.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Detach, Writing_IsSeenThroughBoth) {
  const Tensor self = Tensor::from<float>({1}, {1});
  call("aten::fill_.Scalar", call("aten::detach", self), Scalar(5));
  EXPECT_EQ(elements(self), (Doubles{5}));
}

}  // namespace
}  // namespace tenon::tests
