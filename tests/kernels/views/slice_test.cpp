// SPDX-License-Identifier: Apache-2.0
// aten::slice.Tensor.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Slice, HugeStep_TakesTheFirstElement) {
  const Tensor self = call("aten::t", Tensor::empty(Ints{2, 3}, Dtype::F32));
  for (const int64_t step : {int64_t{2}, int64_t{1} << 62, INT64_MAX}) {
    const Tensor first = call("aten::slice.Tensor", self, 1, Value(), Value(), step);
    EXPECT_EQ(first.size(1), 1);
    EXPECT_EQ(first.raw_data(), self.raw_data());
    EXPECT_LE(first.strides()[1], int64_t{1} << 40);  // which loops can step over
  }
}

}  // namespace
}  // namespace tenon::tests
