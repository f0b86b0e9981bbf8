// SPDX-License-Identifier: Apache-2.0
// aten::asin.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Asin, Integers_GiveFloats) {
  EXPECT_EQ(call("aten::asin", Tensor::from<int32_t>({1}, {1})).dtype(), Dtype::F32);
}

}  // namespace
}  // namespace tenon::tests
