// SPDX-License-Identifier: Apache-2.0
// aten::reshape.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Reshape, StridedTensor_IsCopied) {
  const Tensor base = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor flat = call("aten::reshape", call("aten::t", base), Ints{4});
  EXPECT_NE(flat.raw_data(), base.raw_data());
  EXPECT_EQ(elements(flat), (Doubles{1, 3, 2, 4}));
}

}  // namespace
}  // namespace tenon::tests
