// SPDX-License-Identifier: Apache-2.0
// aten::index_fill.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexFill, GradientOfTheValue_CountsASliceOnce) {
  const Tensor value = Tensor::from<float>({5}, {}).set_requires_grad(true);
  const Tensor index = Tensor::from<int64_t>({0, 0, 1}, {3});
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  call("aten::sum", call("aten::index_fill.int_Tensor", self, 0, index, value)).backward();
  EXPECT_EQ(elements(value.grad()), (Doubles{2}));
}

}  // namespace
}  // namespace tenon::tests
