// SPDX-License-Identifier: Apache-2.0
// aten::softmax and aten::log_softmax.
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Softmax, ExtremesStayFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor row = Tensor::from<float>({1000, 1000, -infinity}, {3});
  EXPECT_EQ(elements(call("aten::softmax.int", row, 0)), (Doubles{0.5, 0.5, 0}));
  const Doubles logs = elements(call("aten::log_softmax.int", row, -1));
  EXPECT_NEAR(logs[0], -0.6931472, 1e-6);
  EXPECT_EQ(logs[2], -infinity);
}

TEST(Softmax, AlongTheFirstDim) {
  const Tensor self = Tensor::from<float>({0, 5, 0, 5}, {2, 2});
  EXPECT_EQ(elements(call("aten::softmax.int", self, 0)), (Doubles{0.5, 0.5, 0.5, 0.5}));
}

TEST(Softmax, TurnedOut_IsWrittenWhereItsElementsAre) {
  const Tensor out = call("aten::t", Tensor::from<float>({0, 0, 0, 0, 0, 0}, {2, 3}));
  const Tensor self = Tensor::from<float>({0, 0, 5, 5, -1, -1}, {3, 2});
  call("aten::_softmax.out", self, 1, false, kw("out", out));
  EXPECT_EQ(elements(out), Doubles(6, 0.5));
  EXPECT_EQ(strides(out), (std::vector<int64_t>{1, 3}));
}

TEST(Softmax, Integers_AreRefused) {
  EXPECT_EQ(error_of([] { call("aten::softmax.int", meta({2}, Dtype::I64), 0); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(error_of([] { call("aten::log_softmax.int", meta({2}), 1); }).code(),
            TENON_ERROR_INDEX);
}

}  // namespace
}  // namespace tenon::tests
