// SPDX-License-Identifier: Apache-2.0
// aten::lerp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Lerp, BothEnds_AreMetExactly) {
  const Tensor self = Tensor::from<float>({0.1F, -7.3F}, {2});
  const Tensor end = Tensor::from<float>({1e8F, 0.7F}, {2});
  EXPECT_EQ(elements(call("aten::lerp.Scalar", self, end, Scalar(0))), elements(self));
  EXPECT_EQ(elements(call("aten::lerp.Scalar", self, end, Scalar(1))), elements(end));
}

TEST(Lerp, EndOfAnotherDtype_IsRefusedByName) {
  const Tensor self = Tensor::from<float>({1}, {1});
  const Tensor end = Tensor::from<double>({1}, {1});
  const Error error = error_of([&] { call("aten::lerp.Scalar", self, end, Scalar(0.5)); });
  EXPECT_EQ(std::string(error.what()),
            "aten::lerp.Scalar: end must be float32 like self, got float64");
}

}  // namespace
}  // namespace tenon::tests
