// SPDX-License-Identifier: Apache-2.0
// aten::argmin.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Argmin, EqualElements_GiveTheFirst) {
  EXPECT_EQ(elements(call("aten::argmin", Tensor::from<int32_t>({4, 1, 1, 9}, {4}))), (Doubles{1}));
}

}  // namespace
}  // namespace tenon::tests
