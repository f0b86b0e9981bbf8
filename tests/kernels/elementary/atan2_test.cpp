// SPDX-License-Identifier: Apache-2.0
// aten::atan2.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Atan2, TellsTheQuadrant) {
  EXPECT_NEAR(elements(call("aten::atan2", Tensor::from<double>({-1}, {1}),
                            Tensor::from<double>({-1}, {1})))[0],
              -2.356194490192345, 1e-15);
}

}  // namespace
}  // namespace tenon::tests
