// SPDX-License-Identifier: Apache-2.0
// aten::tan.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Tan, Integers_GiveFloats) {
  EXPECT_EQ(call("aten::tan", Tensor::from<int64_t>({1}, {1})).dtype(), Dtype::F32);
}

}  // namespace
}  // namespace tenon::tests
