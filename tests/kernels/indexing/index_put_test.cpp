// SPDX-License-Identifier: Apache-2.0
// aten::index_put.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(IndexPut, ExpandedSelf_IsRefused) {
  const Tensor self = call("aten::expand", Tensor::from<float>({1}, {1}), Ints{3});
  const std::vector<Tensor> indices{Tensor::from<int64_t>({0}, {1})};
  const Tensor value = Tensor::from<float>({2}, {1});
  EXPECT_EQ(error_of([&] { call("aten::index_put_", self, indices, value); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

TEST(IndexPut, IndexOutOfBounds_WritesNothing) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const std::vector<Tensor> indices{Tensor::from<int64_t>({0, 2}, {2})};
  const Tensor value = Tensor::from<float>({9}, {1});
  EXPECT_EQ(error_of([&] { call("aten::index_put_", self, indices, value); }).code(),
            TENON_ERROR_INDEX);
  EXPECT_EQ(elements(self), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
