// SPDX-License-Identifier: Apache-2.0
// aten::fill_.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Fill, NumberThatDoesNotFit_ChangesNothing) {
  const Tensor self = Tensor::from<int8_t>({1, 2}, {2});
  const Error error = error_of([&] { call("aten::fill_.Scalar", self, Scalar(128)); });
  EXPECT_EQ(std::string(error.what()), "aten::fill_.Scalar: value must fit into int8, got 128");
  EXPECT_EQ(elements(self), (Doubles{1, 2}));
}

TEST(Fill, TensorOfItsOwn_IsReadBeforeItIsWritten) {
  const Tensor self = Tensor::from<float>({1, 7, 3}, {3});
  call("aten::fill_.Tensor", self, call("aten::select.int", self, 0, 1));
  EXPECT_EQ(elements(self), (Doubles{7, 7, 7}));
}

TEST(Fill, TensorWithDims_IsRefused) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Error error =
      error_of([&] { call("aten::fill.Tensor", self, Tensor::from<float>({1}, {1})); });
  EXPECT_EQ(std::string(error.what()), "aten::fill.Tensor: value must be a 0-dim tensor, got [1]");
}

}  // namespace
}  // namespace tenon::tests
