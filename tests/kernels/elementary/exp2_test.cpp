// SPDX-License-Identifier: Apache-2.0
// aten::exp2.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Exp2, WholeExponents_AreExact) {
  EXPECT_EQ(elements(call("aten::exp2", Tensor::from<float>({-3, 0, 10}, {3}))),
            (Doubles{0.125, 1, 1024}));
}

}  // namespace
}  // namespace tenon::tests
