// SPDX-License-Identifier: Apache-2.0
// aten::multinomial.
#include <algorithm>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Multinomial, NoChances_NamesTheLine) {
  const Tensor chances = Tensor::from<float>({1, 2, 0, 0}, {2, 2});
  const Error error = error_of([&] { call("aten::multinomial", chances, 1); });
  EXPECT_EQ(std::string(error.what()),
            "aten::multinomial: self must have an element > 0 in each row, got none in row 1");
}

TEST(Multinomial, WithoutReplacement_NoIndexTwice) {
  const Tensor drawn = call("aten::multinomial", Tensor::from<float>({1, 1, 1, 1}, {4}), 4);
  Doubles indices = elements(drawn);
  std::sort(indices.begin(), indices.end());
  EXPECT_EQ(indices, (Doubles{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tenon::tests
