// SPDX-License-Identifier: Apache-2.0
// aten::relu.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Relu, NaN_Stays) {
  const Tensor result = call("aten::relu", Tensor::from<float>({NAN, -1, 2}, {3}));
  EXPECT_TRUE(std::isnan(elements(result)[0]));
  EXPECT_EQ(elements(result)[1], 0.0);
}

TEST(Relu, ComplexOnMeta_IsNotSupported) {
  EXPECT_EQ(error_of([] { call("aten::relu", meta({2}, Dtype::C64)); }).code(),
            TENON_ERROR_NOT_SUPPORTED);
}

TEST(Relu, MetaTensor_GivesShapeAndDtypeOnly) {
  const Tensor result = call("aten::relu", meta({0, 3}, Dtype::F16));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(sizes(result), (Ints{0, 3}));
  EXPECT_EQ(result.dtype(), Dtype::F16);
}

TEST(Relu, UndefinedTensor_IsRefused) {
  const Error error =
      error_of([] { call("aten::relu", Tensor::retain(tenon_tensor_undefined())); });
  EXPECT_NE(std::string(error.what()).find("aten::relu"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace tenon::tests
