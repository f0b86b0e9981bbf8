// SPDX-License-Identifier: Apache-2.0
// aten::mul.
#include <cmath>
#include <complex>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mul, Bools_GiveTheirAnd) {
  const Tensor result = call("aten::mul.Tensor", Tensor::from<bool>({true, true}, {2}),
                             Tensor::from<bool>({true, false}, {2}));
  EXPECT_EQ(result.dtype(), Dtype::Bool);
  EXPECT_EQ(elements(result), (Doubles{1, 0}));
}

TEST(Mul, OutOfAnotherMemoryOrder_KeepsItsStrides) {
  const Tensor self = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor out = Tensor::empty(Ints{2, 3}, Dtype::F32, Device(), Ints{1, 2});
  call("aten::mul.out", self, self, kw("out", out));
  EXPECT_EQ(strides(out), (Ints{1, 2}));
  EXPECT_EQ(elements(out), (Doubles{1, 4, 9, 16, 25, 36}));
}

// Each of the four products overflows before two are added, as in PyTorch.
TEST(Mul, ComplexProductsThatAreTooLarge_AreRoundedFirst) {
  const std::vector<std::complex<float>> x(16, {-2.5F, -2.5F}), y(16, {3e38F, 3e38F});
  const Ints sizes{16};
  const Tensor result = call("aten::mul.Tensor", Tensor::from(std::span(x), sizes),
                             Tensor::from(std::span(y), sizes));
  for (int64_t i = 0; i < 16; ++i) {
    const std::complex<float> product = result.data<std::complex<float>>()[i];
    EXPECT_TRUE(std::isnan(product.real())) << i << ": " << product.real();
    EXPECT_EQ(product.imag(), -INFINITY) << i;
  }
}

}  // namespace
}  // namespace tenon::tests
