// SPDX-License-Identifier: Apache-2.0
// aten::topk.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Topk, TooMany_NamesTheDim) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  const Error error = error_of([&] { Op("aten::topk")(self, 4); });
  EXPECT_EQ(std::string(error.what()), "aten::topk: k must be in [0, 3] for dim 0, got 4");
}

}  // namespace
}  // namespace tenon::tests
