// SPDX-License-Identifier: Apache-2.0
// aten::prod.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Prod, OthersOfZeros_AreProductsWithoutDivision) {
  const Tensor self = Tensor::from<double>({2, 0, 3, 5, 7}, {5});
  EXPECT_EQ(elements(call("tenon::product_of_others", self, 0)), (Doubles{0, 210, 0, 0, 0}));
  EXPECT_EQ(elements(call("tenon::product_of_others", Tensor::from<double>({2, 3, 4, 5}, {2, 2}),
                          Value())),
            (Doubles{60, 40, 30, 24}));
}

}  // namespace
}  // namespace tenon::tests
