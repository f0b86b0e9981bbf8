// SPDX-License-Identifier: Apache-2.0
// aten::layer_norm, aten::group_norm and aten::rms_norm.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// PyTorch's kernel loses digits in this case.
TEST(LayerNorm, RowFarFrom0_IsAsNearIt) {
  const auto normal = [](float at) {
    const Tensor row = Tensor::from<float>({at + 2.5F, at - 1.5F, at - 0.5F, at + 0.5F}, {4});
    return elements(call("aten::layer_norm", row, Ints{4}));
  };
  EXPECT_EQ(normal(30000), normal(0));
  EXPECT_NEAR(normal(30000)[0], 2.25 / std::sqrt(2.1875 + 1e-5), 1e-6);
}

}  // namespace
}  // namespace tenon::tests
