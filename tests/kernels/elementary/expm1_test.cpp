// SPDX-License-Identifier: Apache-2.0
// aten::expm1.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Expm1, SmallNumbers_KeepTheirDigits) {
  EXPECT_EQ(elements(call("aten::expm1", Tensor::from<double>({1e-20}, {1}))), (Doubles{1e-20}));
}

}  // namespace
}  // namespace tenon::tests
