// SPDX-License-Identifier: Apache-2.0
// aten::isnan.
#include <cmath>
#include <complex>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Isnan, ComplexNumber_IsWhereAPartIs) {
  EXPECT_EQ(
      elements(call("aten::isnan", Tensor::from<std::complex<float>>({{0, NAN}, {1, 2}}, {2}))),
      (Doubles{1, 0}));
}

}  // namespace
}  // namespace tenon::tests
