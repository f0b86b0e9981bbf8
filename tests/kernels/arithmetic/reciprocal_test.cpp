// SPDX-License-Identifier: Apache-2.0
// aten::reciprocal.
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// [quote.begin test]
TEST(Reciprocal, Floats_AreInverted) {
  const Tensor result = call("aten::reciprocal", Tensor::from<float>({4.0F, -0.5F, 0.0F}, {3}));
  EXPECT_EQ(result.data<float>()[0], 0.25F);
  EXPECT_EQ(result.data<float>()[1], -2.0F);
  EXPECT_EQ(result.data<float>()[2], std::numeric_limits<float>::infinity());
}
// [quote.end]

}  // namespace
}  // namespace tenon::tests
