// SPDX-License-Identifier: Apache-2.0
// aten::pow.
#include <cmath>
#include <complex>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Pow, NothingToThePowerOf0_Is1) {
  const Tensor zero = Tensor::from<double>({0, -0.0, NAN}, {3});
  EXPECT_EQ(elements(call("aten::pow.Tensor_Scalar", zero, 0)), (Doubles{1, 1, 1}));
  EXPECT_EQ(elements(call("aten::pow.Scalar", 0, Tensor::from<int64_t>({0, 2}, {2}))),
            (Doubles{1, 0}));
}

TEST(Pow, NegativeBase_NeedsAWholeExponent) {
  const Tensor result = call("aten::pow.Tensor_Tensor", Tensor::from<double>({-2, -2, -2}, {3}),
                             Tensor::from<double>({3, -1, 0.5}, {3}));
  EXPECT_EQ(elements(result)[0], -8);
  EXPECT_EQ(elements(result)[1], -0.5);
  EXPECT_TRUE(std::isnan(elements(result)[2]));
}

TEST(Pow, Integers_Wrap) {
  EXPECT_EQ(elements(call("aten::pow.Tensor_Scalar", Tensor::from<uint8_t>({3, 16}, {2}), 5)),
            (Doubles{243, 0}));
}

TEST(Pow, SquareBeyondTheRangeOfComplexNumbers_IsThatOfTheProduct) {
  const Tensor self = Tensor::from<std::complex<float>>({{1e20F, 1e20F}}, {1});
  const Tensor square = call("aten::pow.Tensor_Scalar", self, 2);
  EXPECT_TRUE(std::isnan(square.data<std::complex<float>>()[0].real()));
  EXPECT_EQ(square.data<std::complex<float>>()[0].imag(), INFINITY);
}

TEST(Pow, NegativePowerOfIntegers_IsRefusedAsANumber) {
  const Error error = error_of([] {
    call("aten::pow.Tensor_Scalar", Tensor::from<int64_t>({1, 2}, {2}), -1);
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::pow.Tensor_Scalar: exponent must be at least 0 where integers have an integer "
            "power, got -1");
}

}  // namespace
}  // namespace tenon::tests
