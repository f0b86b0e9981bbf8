// SPDX-License-Identifier: Apache-2.0
// aten::zeros.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Zeros, PinnedMemory_IsNotSupported) {
  const Error error = error_of([] { call("aten::zeros", Ints{2}, kw("pin_memory", true)); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace tenon::tests
