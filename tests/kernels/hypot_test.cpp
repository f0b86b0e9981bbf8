// SPDX-License-Identifier: Apache-2.0
// aten::hypot.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Hypot, AnswersAsPyTorch) { replay("hypot", 83); }

TEST(Hypot, IsInRangeWhereSquaresAreNot) {
  EXPECT_NEAR(elements(call("aten::hypot", Tensor::from<double>({3e200}, {1}),
                            Tensor::from<double>({4e200}, {1})))[0] /
                  5e200,
              1, 1e-15);
}

}  // namespace
}  // namespace tenon::tests
