// SPDX-License-Identifier: Apache-2.0
// aten::addcdiv.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Addcdiv, TwoIntegers_AreRefusedByName) {
  const Tensor floats = Tensor::from<float>({1}, {1});
  const Tensor ints = Tensor::from<int64_t>({1}, {1});
  const Error error = error_of([&] { call("aten::addcdiv", floats, ints, ints); });
  EXPECT_EQ(std::string(error.what()),
            "aten::addcdiv: not supported for integers: tensor1 or tensor2 must be floating or "
            "complex, got int64 and int64");
}

}  // namespace
}  // namespace tenon::tests
