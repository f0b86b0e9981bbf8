// SPDX-License-Identifier: Apache-2.0
// aten::any.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Any, EmptyTensor_HasNone) {
  EXPECT_EQ(elements(call("aten::any", Tensor::empty(Ints{0}, Dtype::F32))), (Doubles{0}));
}

}  // namespace
}  // namespace tenon::tests
