// SPDX-License-Identifier: Apache-2.0
// tenon::index_backward and tenon::index_put_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexBackward, RepeatedIndices_AddUp) {
  const std::vector<Tensor> indices{Tensor::from<int64_t>({1, 1, -1}, {3})};
  const Tensor grad = Tensor::from<float>({1, 2, 4}, {3});
  EXPECT_EQ(elements(call("tenon::index_backward", grad, Ints{3}, indices)), (Doubles{0, 3, 4}));
}

TEST(IndexBackward, OfIndexPut_IsZeroWhereItHasWritten) {
  const std::vector<Tensor> indices{Tensor::from<int64_t>({1}, {1})};
  const Tensor grad = Tensor::from<float>({1, 2, 4}, {3});
  EXPECT_EQ(elements(call("tenon::index_put_backward", grad, indices, false)), (Doubles{1, 0, 4}));
  EXPECT_EQ(elements(call("tenon::index_put_backward", grad, indices, true)), (Doubles{1, 2, 4}));
}

}  // namespace
}  // namespace tenon::tests
