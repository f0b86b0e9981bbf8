// SPDX-License-Identifier: Apache-2.0
// aten::count_nonzero.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(CountNonzero, NaN_Counts) {
  EXPECT_EQ(elements(call("aten::count_nonzero", Tensor::from<float>({NAN, 0, 1}, {3}))),
            (Doubles{2}));
}

}  // namespace
}  // namespace tenon::tests
