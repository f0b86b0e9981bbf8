// SPDX-License-Identifier: Apache-2.0
// aten::bitwise_xor.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BitwiseXor, Floats_AreNotSupported) {
  EXPECT_EQ(error_of([] { call("aten::bitwise_xor.Tensor", meta({1}), meta({1})); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tenon::tests
