// SPDX-License-Identifier: Apache-2.0
// aten::frac.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Frac, KeepsTheSign) {
  EXPECT_EQ(elements(call("aten::frac", Tensor::from<float>({-1.5, 2.25}, {2}))),
            (Doubles{-0.5, 0.25}));
}

}  // namespace
}  // namespace tenon::tests
