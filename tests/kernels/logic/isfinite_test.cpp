// SPDX-License-Identifier: Apache-2.0
// aten::isfinite.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Isfinite, Integers_Are) {
  EXPECT_EQ(elements(call("aten::isfinite", Tensor::from<int64_t>({0, INT64_MAX}, {2}))),
            (Doubles{1, 1}));
}

}  // namespace
}  // namespace tenon::tests
