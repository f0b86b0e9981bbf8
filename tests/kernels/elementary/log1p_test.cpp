// SPDX-License-Identifier: Apache-2.0
// aten::log1p.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Log1p, SmallNumbers_KeepTheirDigits) {
  EXPECT_EQ(elements(call("aten::log1p", Tensor::from<double>({1e-20, -1}, {2}))),
            (Doubles{1e-20, -INFINITY}));
}

}  // namespace
}  // namespace tenon::tests
