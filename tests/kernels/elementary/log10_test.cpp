// SPDX-License-Identifier: Apache-2.0
// aten::log10.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Log10, WholePowers_AreExact) {
  EXPECT_EQ(elements(call("aten::log10", Tensor::from<double>({1000, 0}, {2}))),
            (Doubles{3, -INFINITY}));
}

}  // namespace
}  // namespace tenon::tests
