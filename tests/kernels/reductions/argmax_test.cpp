// SPDX-License-Identifier: Apache-2.0
// aten::argmax.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Argmax, EqualElements_GiveTheFirst) {
  const Tensor self = Tensor::from<int32_t>({4, 9, 9, 1}, {4});
  EXPECT_EQ(elements(call("aten::argmax", self)), (Doubles{1}));
}

}  // namespace
}  // namespace tenon::tests
