// SPDX-License-Identifier: Apache-2.0
// aten::fmod.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Fmod, SmallestIntegerByMinusOne_Is0) {
  EXPECT_EQ(elements(call("aten::fmod.Tensor", Tensor::from<int32_t>({INT32_MIN}, {1}),
                          Tensor::from<int32_t>({-1}, {1}))),
            (Doubles{0}));
}

TEST(Fmod, IntegerByZero_IsAnError) {
  const Tensor self = Tensor::from<int32_t>({1}, {1});
  EXPECT_EQ(error_of([&] { call("aten::fmod.Scalar", self, 0); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
