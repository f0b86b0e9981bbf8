// SPDX-License-Identifier: Apache-2.0
// aten::all.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(All, EmptyTensor_HasNoOther) {
  EXPECT_EQ(elements(call("aten::all", Tensor::empty(Ints{0}, Dtype::F32))), (Doubles{1}));
}

}  // namespace
}  // namespace tenon::tests
