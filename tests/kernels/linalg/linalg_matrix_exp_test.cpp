// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_exp and aten::matrix_exp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// PyTorch's results for these are wrong.
TEST(LinalgMatrixExp, SmallFloats_AreComputedAsFloats) {
  for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
    const Tensor self = Tensor::from<float>({0.0F, 1.0F, 1.0F, 0.0F}, {2, 2});
    const Tensor result =
        call("aten::linalg_matrix_exp", call("aten::_to_copy", self, kw("dtype", dtype)));
    EXPECT_EQ(result.dtype(), dtype);
    const Tensor wide = call("aten::_to_copy", result, kw("dtype", Dtype::F32));
    EXPECT_NEAR(wide.data<float>()[0], 1.5430806, 4e-3);
    EXPECT_NEAR(wide.data<float>()[1], 1.1752012, 4e-3);
  }
}

}  // namespace
}  // namespace tenon::tests
