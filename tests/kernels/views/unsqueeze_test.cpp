// SPDX-License-Identifier: Apache-2.0
// aten::unsqueeze.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Unsqueeze, MostDims_AreRefusedClearly) {
  Tensor deep = Tensor::empty(Ints(TENON_TENSOR_MAX_DIMS, 1), Dtype::F32);
  EXPECT_EQ(error_of([&] { call("aten::unsqueeze", deep, 0); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
