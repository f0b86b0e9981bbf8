// SPDX-License-Identifier: Apache-2.0
// aten::permute.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Permute, ThenInverse_IsTheSameLayout) {
  const Tensor base = Tensor::empty(Ints{2, 3, 4}, Dtype::F32);
  const Tensor there = call("aten::permute", base, Ints{2, 0, 1});
  EXPECT_EQ(strides(call("aten::permute", there, Ints{1, 2, 0})), strides(base));
}

}  // namespace
}  // namespace tenon::tests
