// SPDX-License-Identifier: Apache-2.0
// aten::special_zeta.
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// With a large exponent the first power dominates; PyTorch returns NaN for the last case.
TEST(SpecialZeta, LargeExponents_LeaveTheFirstTerm) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor first = Tensor::from<double>({0, 0.5, 1, 3.5}, {4});
  for (const double exponent : {1e300, inf}) {
    const Tensor self = Tensor::from<double>({exponent}, {1});
    EXPECT_EQ(elements(call("aten::special_zeta", self, first)), (Doubles{inf, inf, 1, 0}));
  }
}

}  // namespace
}  // namespace tenon::tests
