// SPDX-License-Identifier: Apache-2.0
// aten::index.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Tensor ints(std::initializer_list<int64_t> numbers) {
  return Tensor::from<int64_t>(std::vector<int64_t>(numbers),
                               Ints{static_cast<int64_t>(numbers.size())});
}

TEST(Index, IndexOutOfBounds_NamesDimAndSize) {
  const Tensor self = Tensor::empty(Ints{2, 3}, Dtype::F32);
  const std::vector<Tensor> indices{Tensor(), ints({0, 7})};
  const Error error = error_of([&] { call("aten::index.Tensor", self, indices); });
  EXPECT_EQ(std::string(error.what()),
            "aten::index.Tensor: indices must be in [-3, 2] for dim 1 of size 3, got 7");
}

TEST(Index, MaskOfAnotherShape_NamesBothShapes) {
  const Tensor self = Tensor::empty(Ints{2, 3}, Dtype::F32);
  const std::vector<Tensor> indices{Tensor::empty(Ints{3}, Dtype::Bool)};
  const Error error = error_of([&] { call("aten::index.Tensor", self, indices); });
  EXPECT_EQ(error.code(), TENON_ERROR_INDEX);
  EXPECT_EQ(std::string(error.what()),
            "aten::index.Tensor: indices must have a mask of the shape of the dims that it selects "
            "from, got [3] at position 0 for self of shape [2, 3]");
}

TEST(Index, MaskOnMeta_IsDataDependent) {
  const std::vector<Tensor> indices{meta({2}, Dtype::Bool)};
  EXPECT_EQ(error_of([&] {
              call("aten::index.Tensor", meta({2, 3}), indices);
            }).code(),
            TENON_ERROR_DATA_DEPENDENT);
}

}  // namespace
}  // namespace tenon::tests
