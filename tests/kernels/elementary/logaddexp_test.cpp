// SPDX-License-Identifier: Apache-2.0
// aten::logaddexp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Logaddexp, NumbersOutOfExpsRange_HaveASum) {
  EXPECT_EQ(elements(call("aten::logaddexp2", Tensor::from<double>({5000}, {1}),
                          Tensor::from<double>({5000}, {1}))),
            (Doubles{5001}));
}

}  // namespace
}  // namespace tenon::tests
