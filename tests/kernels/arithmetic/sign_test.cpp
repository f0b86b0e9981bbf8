// SPDX-License-Identifier: Apache-2.0
// aten::sign.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sign, NaN_HasNone) {
  EXPECT_EQ(elements(call("aten::sign", Tensor::from<float>({NAN, -INFINITY, -0.0F, 5}, {4}))),
            (Doubles{0, -1, 0, 1}));
}

TEST(Sign, ComplexOnMeta_IsNotSupported) {
  EXPECT_EQ(error_of([] { call("aten::sign", meta({2}, Dtype::C64)); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tenon::tests
