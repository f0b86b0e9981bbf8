// SPDX-License-Identifier: Apache-2.0
// aten::embedding_bag and its gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(EmbeddingBag, OffsetsThatFall_AreRefused) {
  const Tensor weight = Tensor::from<float>({1, 2}, {2, 1});
  const Tensor indices = Tensor::from<int64_t>({0, 1, 0}, {3});
  const Tensor offsets = Tensor::from<int64_t>({0, 2, 1}, {3});
  const Error error = error_of([&] { Op("aten::embedding_bag")(weight, indices, offsets); });
  EXPECT_EQ(
      std::string(error.what()),
      "aten::_embedding_bag: offsets must not decrease, nor exceed the number of indices, 3, got 1 "
      "after 2");
}

// Sums 3000 ones in float16: added one by one, the sum would stop at 2048.
TEST(EmbeddingBag, SmallFloats_AreRoundedOnce) {
  const Tensor weight = call("aten::to.dtype", Tensor::from<float>({1}, {1, 1}), Dtype::F16);
  const Tensor indices = Tensor::from<int64_t>(Ints(3000, 0), Ints{3000});
  const Tensor offsets = Tensor::from<int64_t>({0}, {1});
  const Tensor sum = Op("aten::embedding_bag")(weight, indices, offsets).at(0).tensor();
  EXPECT_EQ(elements(sum), (Doubles{3000}));
}

}  // namespace
}  // namespace tenon::tests
