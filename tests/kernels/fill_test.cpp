// SPDX-License-Identifier: Apache-2.0
// aten::fill_.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Fill, AnswersAsPyTorch) { replay("fill", 30); }

TEST(Fill, NumberThatDoesNotFit_ChangesNothing) {
  const Tensor self = Tensor::from<int8_t>({1, 2}, {2});
  const Error error = error_of([&] { call("aten::fill_.Scalar", self, Scalar(128)); });
  EXPECT_EQ(std::string(error.what()), "aten::fill_.Scalar: value must fit into int8, got 128");
  EXPECT_EQ(elements(self), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
