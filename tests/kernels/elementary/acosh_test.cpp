// SPDX-License-Identifier: Apache-2.0
// aten::acosh.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Acosh, Of1_Is0) {
  EXPECT_EQ(elements(call("aten::acosh", Tensor::from<double>({1}, {1}))), (Doubles{0}));
}

}  // namespace
}  // namespace tenon::tests
