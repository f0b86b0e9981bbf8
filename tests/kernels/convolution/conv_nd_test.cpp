// SPDX-License-Identifier: Apache-2.0
// aten::conv2d.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Conv2d, OtherChannels_AreNamed) {
  const Tensor input = Tensor::empty(Ints{1, 3, 4, 4}, Dtype::F32);
  const Tensor weight = Tensor::empty(Ints{2, 2, 1, 1}, Dtype::F32);
  const Error error = error_of([&] { call("aten::conv2d", input, weight); });
  EXPECT_EQ(std::string(error.what()),
            "aten::conv2d: input must have 2 channels for weight of sizes [2, 2, 1, 1] and 1 "
            "groups, got [1, 3, 4, 4]");
}

}  // namespace
}  // namespace tenon::tests
