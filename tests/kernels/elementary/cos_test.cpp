// SPDX-License-Identifier: Apache-2.0
// aten::cos.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cos, Float8_IsNotSupported) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::F8E5M2);
  const Error error = error_of([&] { call("aten::cos", self); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(error.what()).find("aten::cos: not supported for dtype float8_e5m2"),
            std::string::npos)
      << error.what();
}

TEST(Cos, MetaTensor_GivesShapeAndDtypeOnly) {
  const Tensor result = call("aten::cos", meta({0, 3}, Dtype::I32));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(sizes(result), (Ints{0, 3}));
  EXPECT_EQ(result.dtype(), Dtype::F32);
}

TEST(Cos, UndefinedTensor_IsRefused) {
  const Error error = error_of([] { call("aten::cos", Tensor::retain(tenon_tensor_undefined())); });
  EXPECT_NE(std::string(error.what()).find("aten::cos"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace tenon::tests
