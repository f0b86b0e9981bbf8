// SPDX-License-Identifier: Apache-2.0
// aten::logical_or.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LogicalOr, DtypesMayDiffer) {
  EXPECT_EQ(elements(call("aten::logical_or", Tensor::from<float>({0.5, 0, 0}, {3}),
                          Tensor::from<int64_t>({1, 1, 0}, {3}))),
            (Doubles{1, 1, 0}));
}

}  // namespace
}  // namespace tenon::tests
