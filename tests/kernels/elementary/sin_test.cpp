// SPDX-License-Identifier: Apache-2.0
// aten::sin.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sin, Float8_IsNotSupported) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::F8E5M2);
  const Error error = error_of([&] { call("aten::sin", self); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(error.what()).find("aten::sin: not supported for dtype float8_e5m2"),
            std::string::npos)
      << error.what();
}

TEST(Sin, MetaTensor_GivesShapeAndDtypeOnly) {
  const Tensor result = call("aten::sin", meta({0, 3}, Dtype::I32));
  EXPECT_EQ(result.device().type, TENON_DEVICE_META);
  EXPECT_EQ(sizes(result), (Ints{0, 3}));
  EXPECT_EQ(result.dtype(), Dtype::F32);
}

TEST(Sin, UndefinedTensor_IsRefused) {
  const Error error = error_of([] { call("aten::sin", Tensor::retain(tenon_tensor_undefined())); });
  EXPECT_NE(std::string(error.what()).find("aten::sin"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace tenon::tests
