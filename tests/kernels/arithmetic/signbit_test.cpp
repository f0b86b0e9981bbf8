// SPDX-License-Identifier: Apache-2.0
// aten::signbit.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Signbit, MinusZeroAndNaN_CountByTheirSign) {
  EXPECT_EQ(elements(call("aten::signbit", Tensor::from<float>({-0.0F, 0, -NAN, NAN}, {4}))),
            (Doubles{1, 0, 1, 0}));
}

}  // namespace
}  // namespace tenon::tests
