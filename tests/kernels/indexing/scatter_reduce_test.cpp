// SPDX-License-Identifier: Apache-2.0
// aten::scatter_reduce, and aten::scatter with a reduction.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ScatterReduce, IndexOutOfBounds_WritesNothing) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor index = Tensor::from<int64_t>({0, 2}, {2});
  const Tensor src = Tensor::from<float>({5, 6}, {2});
  for (const bool includes_self : {true, false}) {
    const Error error = error_of([&] {
      call("aten::scatter_reduce_.two", self, 0, index, src, "sum",
           kw("include_self", includes_self));
    });
    EXPECT_EQ(std::string(error.what()),
              "aten::scatter_reduce_.two: index must be in [0, 1] for dim 0 of size 2, got 2");
    EXPECT_EQ(elements(self), (Doubles{1, 2}));
  }
}

// Adds 3000 ones in float16: one by one, the sum would stop at 2048.
TEST(ScatterReduce, SmallFloats_AreRoundedOnce) {
  const Tensor ones = call(
      "aten::to.dtype", Tensor::from<float>(std::vector<float>(3000, 1), Ints{3000}), Dtype::F16);
  const Tensor index = Tensor::from<int64_t>(Ints(3000, 0), Ints{3000});
  const Tensor one = call("aten::slice.Tensor", ones, 0, 0, 1);
  const Tensor sum = call("aten::scatter_reduce.two", one, 0, index, ones, "sum");
  EXPECT_EQ(elements(sum), (Doubles{3000}));
}

}  // namespace
}  // namespace tenon::tests
