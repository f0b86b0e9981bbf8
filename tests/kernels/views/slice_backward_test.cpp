// SPDX-License-Identifier: Apache-2.0
// aten::slice_backward.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SliceBackward, Step_LeavesWhatIsBetween0) {
  const Tensor grad = Tensor::from<float>({1, 2}, {2});
  const Tensor result = call("aten::slice_backward", grad, Ints{5}, 0, 1, INT64_MAX, 2);
  EXPECT_EQ(elements(result), (Doubles{0, 1, 0, 2, 0}));
}

}  // namespace
}  // namespace tenon::tests
