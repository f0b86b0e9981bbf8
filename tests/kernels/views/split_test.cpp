// SPDX-License-Identifier: Apache-2.0
// aten::split.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Split, LastPart_IsWhatIsLeft) {
  const Tensor self = Tensor::from<float>({1, 2, 3, 4, 5}, {5});
  const Value result = Op("aten::split.Tensor")(self, 2).at(0);
  ASSERT_EQ(result.tensors().size(), 3);
  EXPECT_EQ(elements(*result.tensors()[2]), (Doubles{5}));
  EXPECT_EQ(result.tensors()[1]->data<float>(), self.data<float>() + 2);
}

TEST(Split, GradientOfSizes_IsThatOfParts) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3}).set_requires_grad(true);
  const Value parts = Op("aten::split.sizes")(self, Ints{1, 2}).at(0);
  call("aten::sum", call("aten::mul.Tensor", parts.tensors()[1], parts.tensors()[1])).backward();
  EXPECT_EQ(elements(self.grad()), (Doubles{0, 4, 6}));
}

}  // namespace
}  // namespace tenon::tests
