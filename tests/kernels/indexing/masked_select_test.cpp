// SPDX-License-Identifier: Apache-2.0
// aten::masked_select and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MaskedSelect, Gradient_GoesToWhatWasSelected) {
  const Tensor grad = Tensor::from<float>({1, 2}, {2});
  const Tensor mask = call("aten::gt.Scalar", Tensor::from<float>({1, 0, 1}, {3}), 0);
  EXPECT_EQ(elements(call("tenon::masked_select_backward", grad, Ints{3}, mask)),
            (Doubles{1, 0, 2}));
}

}  // namespace
}  // namespace tenon::tests
