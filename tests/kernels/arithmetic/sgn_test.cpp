// SPDX-License-Identifier: Apache-2.0
// aten::sgn.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sgn, ComplexNumber_IsDividedByItsSize) {
  Tensor self = Tensor::empty(Ints{2}, Dtype::C128);
  auto* numbers = static_cast<double*>(self.raw_data());
  const double given[] = {3, -4, 0, 0};
  std::copy(given, given + 4, numbers);
  const Tensor result = call("aten::sgn", self);
  const auto* got = static_cast<const double*>(result.raw_data());
  EXPECT_EQ(Doubles(got, got + 4), (Doubles{0.6, -0.8, 0, 0}));
}

}  // namespace
}  // namespace tenon::tests
