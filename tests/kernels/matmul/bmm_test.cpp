// SPDX-License-Identifier: Apache-2.0
// aten::bmm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Bmm, Batches_AreMultipliedOneByOne) {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 1, 2});
  const Tensor b = Tensor::from<float>({1, 1, 10, 100}, {2, 2, 1});
  EXPECT_EQ(elements(call("aten::bmm", a, b)), (Doubles{3, 430}));
}

TEST(Bmm, ExpandedOut_IsRefused) {
  const Tensor batch = Tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  const Tensor place = Tensor::from<float>({0, 0, 0, 0}, {1, 2, 2});
  const Tensor out = call("aten::expand", place, Ints{2, 2, 2});
  EXPECT_EQ(error_of([&] { call("aten::bmm.out", batch, batch, kw("out", out)); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(elements(place), (Doubles{0, 0, 0, 0}));
}

TEST(Bmm, OutThatIsAFactorOfOtherSizes_IsReadAsItWas) {
  const Tensor left = call("aten::clone", Tensor::from<float>({1, 2, 3, 4}, {2, 2, 1}));
  call("aten::bmm.out", left, call("aten::transpose.int", left, 1, 2), kw("out", left));
  EXPECT_EQ(sizes(left), (Ints{2, 2, 2}));
  EXPECT_EQ(elements(left), (Doubles{1, 2, 2, 4, 9, 12, 12, 16}));
}

}  // namespace
}  // namespace tenon::tests
