// SPDX-License-Identifier: Apache-2.0
// aten::poisson.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Poisson, NegativeRate_IsRefused) {
  const Error error = error_of([&] {
    call("aten::poisson", Tensor::from<float>({1, -0.5F}, {2}));
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::poisson: self must have finite elements >= 0, got -0.5");
}

}  // namespace
}  // namespace tenon::tests
