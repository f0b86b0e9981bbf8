// SPDX-License-Identifier: Apache-2.0
// aten::sub.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sub, Bool_IsNotSupported) {
  const Tensor mask = Tensor::from<bool>({true}, {1});
  const Error error = error_of([&] { call("aten::sub.Tensor", mask, mask); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(error.what()).find("aten::sub.Tensor: not supported for dtype bool"),
            std::string::npos);
}

TEST(Sub, Unsigned_Wraps) {
  const Tensor result =
      call("aten::sub.Tensor", Tensor::from<uint8_t>({1}, {1}), Tensor::from<uint8_t>({2}, {1}));
  EXPECT_EQ(elements(result), (Doubles{255}));
}

}  // namespace
}  // namespace tenon::tests
