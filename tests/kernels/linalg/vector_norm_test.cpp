// SPDX-License-Identifier: Apache-2.0
// aten::linalg_vector_norm and aten::norm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// The size of 3 + 4i is 5, not 3.
TEST(VectorNorm, ComplexElementsIntoRealOut_AreTheirSizes) {
  Tensor self = Tensor::empty(Ints{1}, Dtype::C128);
  auto* number = static_cast<double*>(self.raw_data());
  number[0] = 3;
  number[1] = 4;
  const Tensor out = Tensor::from<double>({0}, {1});
  call("aten::linalg_vector_norm.out", self, Scalar(2.0), Ints{0}, true, kw("out", out));
  EXPECT_EQ(elements(out)[0], 5);
}

}  // namespace
}  // namespace tenon::tests
