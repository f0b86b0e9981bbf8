// SPDX-License-Identifier: Apache-2.0
// aten::unbind.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Unbind, Results_AreViews) {
  const Tensor self = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Value result = Op("aten::unbind.int")(self, 1).at(0);
  ASSERT_EQ(result.tensors().size(), 2);
  const Tensor second = *result.tensors()[1];
  call("aten::zero_", second);
  EXPECT_EQ(elements(self), (Doubles{1, 0, 3, 0}));
}

}  // namespace
}  // namespace tenon::tests
