// SPDX-License-Identifier: Apache-2.0
// aten::isclose.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Isclose, ToleranceGrowsWithOther) {
  EXPECT_EQ(elements(call("aten::isclose", Tensor::from<float>({100, 1}, {2}),
                          Tensor::from<float>({101, 2}, {2}), 0.02, 0.0)),
            (Doubles{1, 0}));
}

}  // namespace
}  // namespace tenon::tests
