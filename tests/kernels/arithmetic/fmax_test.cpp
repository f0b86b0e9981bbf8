// SPDX-License-Identifier: Apache-2.0
// aten::fmax.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Fmax, NaN_GivesWay) {
  EXPECT_EQ(elements(call("aten::fmax", Tensor::from<float>({NAN, 1, 2}, {3}),
                          Tensor::from<float>({1, NAN, 3}, {3}))),
            (Doubles{1, 1, 3}));
}

}  // namespace
}  // namespace tenon::tests
