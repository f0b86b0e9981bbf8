// SPDX-License-Identifier: Apache-2.0
// aten::acos.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Acos, Beyond1_IsNaN) {
  EXPECT_TRUE(std::isnan(elements(call("aten::acos", Tensor::from<double>({1.5}, {1})))[0]));
}

}  // namespace
}  // namespace tenon::tests
