// SPDX-License-Identifier: Apache-2.0
// aten::fmin.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Fmin, NaN_GivesWay) {
  EXPECT_EQ(elements(call("aten::fmin", Tensor::from<float>({NAN, 1, 2}, {3}),
                          Tensor::from<float>({1, NAN, 3}, {3}))),
            (Doubles{1, 1, 2}));
}

}  // namespace
}  // namespace tenon::tests
