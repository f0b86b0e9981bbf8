// SPDX-License-Identifier: Apache-2.0
// aten::ne.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Ne, NaN_ComparesAsUnequal) {
  const Tensor self = Tensor::from<float>({1, 2, 3, NAN}, {4});
  const Tensor other = Tensor::from<float>({2, 2, 2, NAN}, {4});
  const Tensor result = call("aten::ne.Tensor", self, other);
  EXPECT_EQ(result.dtype(), Dtype::Bool);
  EXPECT_EQ(elements(result), (Doubles{1, 0, 1, 1}));
}

TEST(Ne, MetaTensors_GiveBool) {
  const Tensor result = call("aten::ne.Tensor", meta({2, 1}), meta({3}));
  EXPECT_EQ(result.dtype(), Dtype::Bool);
  EXPECT_EQ(sizes(result), (Ints{2, 3}));
}

}  // namespace
}  // namespace tenon::tests
