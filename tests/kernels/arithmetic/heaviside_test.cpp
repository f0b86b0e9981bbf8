// SPDX-License-Identifier: Apache-2.0
// aten::heaviside.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Heaviside, OtherDtype_IsRefused) {
  const Tensor self = Tensor::from<float>({1}, {1}), values = Tensor::from<double>({1}, {1});
  const Error error = error_of([&] { call("aten::heaviside", self, values); });
  EXPECT_EQ(std::string(error.what()),
            "aten::heaviside: values must have the dtype of self, float32, got float64");
}

}  // namespace
}  // namespace tenon::tests
