// SPDX-License-Identifier: Apache-2.0
// aten::neg.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Neg, Bool_IsNotSupported) {
  const Tensor self = Tensor::from<bool>({true}, {1});
  EXPECT_EQ(error_of([&] { call("aten::neg", self); }).code(), TENON_ERROR_NOT_SUPPORTED);
}

TEST(Neg, SmallestInteger_Wraps) {
  const Tensor result = call("aten::neg", Tensor::from<int8_t>({-128, 127}, {2}));
  EXPECT_EQ(elements(result), (Doubles{-128, -127}));
}

TEST(Neg, MetaTensor_GivesShapeAndDtypeOnly) {
  const Tensor result = call("aten::neg", meta({0, 3}, Dtype::I32));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(sizes(result), (Ints{0, 3}));
  EXPECT_EQ(result.dtype(), Dtype::I32);
}

TEST(Neg, UndefinedTensor_IsRefused) {
  const Error error = error_of([] { call("aten::neg", Tensor::retain(tenon_tensor_undefined())); });
  EXPECT_NE(std::string(error.what()).find("aten::neg"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace tenon::tests
