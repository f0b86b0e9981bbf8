// SPDX-License-Identifier: Apache-2.0
// aten::conj.
#include <complex>

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

// A complex number in a gradient formula keeps double precision.
TEST(Conj, Number_KeepsItsDigits) {
  const Scalar number(std::complex<double>(0.1, 0.3));
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new_number(&number.value(), &handle));
  const Tensor result = call("aten::conj", Tensor(handle));
  ASSERT_EQ(result.dtype(), Dtype::C128);
  EXPECT_EQ(*static_cast<const std::complex<double>*>(result.raw_data()),
            std::complex<double>(0.1, -0.3));
}

}  // namespace
}  // namespace tenon::tests
