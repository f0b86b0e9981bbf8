// SPDX-License-Identifier: Apache-2.0
// aten::gather, its gradient, and aten::take_along_dim.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Gather, IndexOfNoElements_IsOfAnyDtype) {
  const Tensor index = Tensor::empty(Ints{2, 0}, Dtype::U8);
  const Tensor result = call("aten::gather", Tensor::from<float>({1, 2}, {2}), 0, index);
  EXPECT_EQ(sizes(result), (Ints{2, 0}));
}

// Indices are checked block by block, just before the elements are read.
TEST(Gather, IndexOutOfBounds_IsRefusedWhereverItIs) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  for (const size_t at : {size_t{0}, size_t{1500}, size_t{2999}}) {
    std::vector<int64_t> places(3000, 2);
    places[at] = -1;
    const Tensor index = Tensor::from<int64_t>(places, Ints{3000});
    const Error error = error_of([&] { call("aten::gather", self, 0, index); });
    EXPECT_EQ(std::string(error.what()),
              "aten::gather: index must be in [0, 2] for dim 0 of size 3, got -1");
  }
}

TEST(Gather, IndexOutOfBounds_WritesNothingToAnOut) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor index = Tensor::from<int64_t>({0, 2}, {2});
  const Tensor out = Tensor::from<float>({8, 9}, {2});
  const Error error = error_of([&] { call("aten::gather.out", self, 0, index, kw("out", out)); });
  EXPECT_EQ(std::string(error.what()),
            "aten::gather.out: index must be in [0, 1] for dim 0 of size 2, got 2");
  EXPECT_EQ(elements(out), (Doubles{8, 9}));
}

TEST(Gather, Gradient_AddsUp) {
  const Tensor grad = Tensor::from<float>({1, 2}, {1, 2});
  const Tensor index = Tensor::from<int64_t>({1, 1}, {1, 2});
  EXPECT_EQ(elements(call("tenon::gather_backward", grad, Ints{1, 3}, 1, index)),
            (Doubles{0, 3, 0}));
}

}  // namespace
}  // namespace tenon::tests
