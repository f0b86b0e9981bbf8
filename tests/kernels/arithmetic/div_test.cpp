// SPDX-License-Identifier: Apache-2.0
// aten::div.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Div, IntegerDivisionByZero_IsAnError) {
  const Tensor self = Tensor::from<int32_t>({1, 2}, {2});
  const Tensor zero = Tensor::from<int32_t>({1, 0}, {2});
  for (const char* mode : {"floor", "trunc"}) {
    const Error error =
        error_of([&] { call("aten::div.Tensor_mode", self, zero, kw("rounding_mode", mode)); });
    EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
  }
}

TEST(Div, SmallestIntegerByMinusOne_WrapsInsteadOfTrapping) {
  const Tensor self = Tensor::from<int64_t>({INT64_MIN, INT64_MIN}, {2});
  const Tensor other = Tensor::from<int64_t>({-1, 2}, {2});
  for (const char* mode : {"floor", "trunc"}) {
    const Tensor result = call("aten::div.Tensor_mode", self, other, kw("rounding_mode", mode));
    EXPECT_EQ(result.data<int64_t>()[0], INT64_MIN);
    EXPECT_EQ(result.data<int64_t>()[1], INT64_MIN / 2);
  }
}

TEST(Div, UnknownRoundingMode_IsNamed) {
  const Tensor self = Tensor::from<float>({1}, {1});
  const Error error =
      error_of([&] { call("aten::div.Tensor_mode", self, self, kw("rounding_mode", "up")); });
  EXPECT_EQ(std::string(error.what()),
            "aten::div.Tensor_mode: rounding_mode must be None, \"floor\" or \"trunc\", got up");
}

}  // namespace
}  // namespace tenon::tests
