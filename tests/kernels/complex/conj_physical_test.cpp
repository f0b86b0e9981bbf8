// SPDX-License-Identifier: Apache-2.0
// aten::conj_physical.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ConjPhysical, RealTensor_IsCopied) {
  const Tensor self = Tensor::from<float>({1, -2}, {2});
  const Tensor result = call("aten::conj_physical", self);
  EXPECT_EQ(elements(result), (Doubles{1, -2}));
  EXPECT_NE(result.raw_data(), self.raw_data());
}

}  // namespace
}  // namespace tenon::tests
