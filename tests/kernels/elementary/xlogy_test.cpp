// SPDX-License-Identifier: Apache-2.0
// aten::xlogy.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Xlogy, Of0_Is0) {
  EXPECT_EQ(elements(call("aten::xlogy.Tensor", Tensor::from<float>({0, 0}, {2}),
                          Tensor::from<float>({0, -1}, {2}))),
            (Doubles{0, 0}));
}

}  // namespace
}  // namespace tenon::tests
