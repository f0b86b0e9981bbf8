// SPDX-License-Identifier: Apache-2.0
// aten::outer.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Outer, Vectors_GiveTheirProducts) {
  const Tensor result =
      call("aten::outer", Tensor::from<float>({1, 2}, {2}), Tensor::from<float>({10, 20, 30}, {3}));
  EXPECT_EQ(result.sizes()[0], 2);
  EXPECT_EQ(elements(result), (Doubles{10, 20, 30, 20, 40, 60}));
}

TEST(Outer, Matrix_IsRefused) {
  EXPECT_EQ(error_of([] {
              call("aten::outer", meta({2, 2}), meta({2}));
            }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(error_of([] { call("aten::outer", meta({2}), meta({})); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
