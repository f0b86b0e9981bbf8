// SPDX-License-Identifier: Apache-2.0
// aten::erf.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Erf, ComplexNumbers_AreNotSupported) {
  EXPECT_EQ(error_of([] { call("aten::erf", meta({2}, Dtype::C64)); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tenon::tests
