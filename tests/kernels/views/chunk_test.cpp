// SPDX-License-Identifier: Apache-2.0
// aten::chunk.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Chunk, Chunks_AreAsManyAsTheirSizeAllows) {
  // Four chunks of 5 elements would have 2 elements each, so there are only 3.
  const Tensor self = Tensor::from<float>({1, 2, 3, 4, 5}, {5});
  EXPECT_EQ(Op("aten::chunk")(self, 4).at(0).tensors().size(), 3);
}

}  // namespace
}  // namespace tenon::tests
