// SPDX-License-Identifier: Apache-2.0
// aten::conj.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Conj, RealTensor_IsTheTensorItself) {
  const Tensor self = Tensor::from<float>({1, -2}, {2});
  EXPECT_EQ(call("aten::conj", self).get(), self.get());
}

TEST(Conj, ComplexTensor_HasNewElements) {
  Tensor self = Tensor::empty(Ints{1}, Dtype::C128);
  auto* number = static_cast<double*>(self.raw_data());
  number[0] = 1.5;
  number[1] = -2;
  const Tensor result = call("aten::conj", self);
  const auto* got = static_cast<const double*>(result.raw_data());
  EXPECT_EQ(Doubles(got, got + 2), (Doubles{1.5, 2}));
  EXPECT_EQ(number[1], -2);
}

}  // namespace
}  // namespace tenon::tests
