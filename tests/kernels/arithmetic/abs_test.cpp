// SPDX-License-Identifier: Apache-2.0
// aten::abs.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Abs, ComplexNumber_GivesItsRealLength) {
  const Tensor self = Tensor::from<std::complex<float>>({{3, -4}}, {1});
  const Tensor result = call("aten::abs", self);
  EXPECT_EQ(result.dtype(), Dtype::F32);
  EXPECT_EQ(elements(result), (Doubles{5}));
}

TEST(Abs, MetaTensor_GivesShapeAndDtypeOnly) {
  const Tensor result = call("aten::abs", meta({0, 3}, Dtype::C128));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(sizes(result), (Ints{0, 3}));
  EXPECT_EQ(result.dtype(), Dtype::F64);
}

TEST(Abs, UndefinedTensor_IsRefused) {
  const Error error = error_of([] { call("aten::abs", Tensor::retain(tenon_tensor_undefined())); });
  EXPECT_NE(std::string(error.what()).find("aten::abs"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace tenon::tests
