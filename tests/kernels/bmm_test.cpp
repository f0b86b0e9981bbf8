// SPDX-License-Identifier: Apache-2.0
// aten::bmm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Bmm, AnswersAsPyTorch) { replay("bmm", 20); }

TEST(Bmm, Batches_AreMultipliedOneByOne) {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 1, 2});
  const Tensor b = Tensor::from<float>({1, 1, 10, 100}, {2, 2, 1});
  EXPECT_EQ(elements(call("aten::bmm", a, b)), (Doubles{3, 430}));
}

}  // namespace
}  // namespace tenon::tests
