// SPDX-License-Identifier: Apache-2.0
// aten::ones.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Ones, DefaultDtype_IsTaken) {
  EXPECT_EQ(call("aten::ones", Ints{2}).dtype(), default_dtype());
}

}  // namespace
}  // namespace tenon::tests
