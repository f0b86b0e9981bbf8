// SPDX-License-Identifier: Apache-2.0
// aten::logical_and.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LogicalAnd, DtypesMayDiffer) {
  EXPECT_EQ(elements(call("aten::logical_and", Tensor::from<float>({0.5, 0, 2}, {3}),
                          Tensor::from<int64_t>({1, 1, 0}, {3}))),
            (Doubles{1, 0, 0}));
}

}  // namespace
}  // namespace tenon::tests
