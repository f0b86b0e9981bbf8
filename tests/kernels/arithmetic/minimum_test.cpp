// SPDX-License-Identifier: Apache-2.0
// aten::minimum.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Minimum, NaNOnEitherSide_Wins) {
  const Tensor result = call("aten::minimum", Tensor::from<float>({NAN, 1, 2}, {3}),
                             Tensor::from<float>({1, NAN, 3}, {3}));
  EXPECT_TRUE(std::isnan(elements(result)[0]));
  EXPECT_TRUE(std::isnan(elements(result)[1]));
  EXPECT_EQ(elements(result)[2], 2);
}

TEST(Minimum, ComplexNumbers_AreNotSupported) {
  const Tensor self = Tensor::from<std::complex<double>>({{1, 2}}, {1});
  EXPECT_EQ(error_of([&] { call("aten::minimum", self, self); }).code(), TENON_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tenon::tests
