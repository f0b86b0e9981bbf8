// SPDX-License-Identifier: Apache-2.0
// aten::slice.Tensor.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Slice, AnswersAsPyTorch) { replay("slice", 15); }

TEST(Slice, HugeStep_IsRefusedBeforeItsStrideOverflows) {
  const Tensor self = call("aten::t", Tensor::empty(Ints{2, 3}, Dtype::F32));
  EXPECT_EQ(
      error_of([&] { call("aten::slice.Tensor", self, 1, Value(), Value(), INT64_MAX); }).code(),
      TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
