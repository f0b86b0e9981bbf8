// SPDX-License-Identifier: Apache-2.0
// aten::nonzero.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Nonzero, MetaTensor_IsDataDependent) {
  EXPECT_EQ(error_of([] { call("aten::nonzero", meta({2})); }).code(), TENON_ERROR_DATA_DEPENDENT);
}

TEST(Nonzero, NaN_IsNotZero) {
  const Tensor self = Tensor::from<float>({0, NAN, -0.0F}, {3});
  EXPECT_EQ(elements(call("aten::nonzero", self)), (Doubles{1}));
}

}  // namespace
}  // namespace tenon::tests
