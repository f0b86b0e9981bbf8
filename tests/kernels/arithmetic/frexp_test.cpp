// SPDX-License-Identifier: Apache-2.0
// aten::frexp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Frexp, MetaTensor_GivesBothShapesAndDtypes) {
  const auto results = Op("aten::frexp.Tensor")(meta({2, 3}, Dtype::BF16));
  EXPECT_EQ(results.at(0).tensor().dtype(), Dtype::BF16);
  EXPECT_EQ(results.at(1).tensor().dtype(), Dtype::I32);
  EXPECT_EQ(sizes(results.at(1).tensor()), (Ints{2, 3}));
}

TEST(Frexp, OutsThatShareMemory_AreRefused) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor mantissa = Tensor::from<float>({0, 0}, {2});
  const Tensor exponent = call("aten::view.dtype", mantissa, Dtype::I32);
  const Error error = error_of([&] {
    Op("aten::frexp.Tensor_out")(self, kw("mantissa", mantissa), kw("exponent", exponent));
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::frexp.Tensor_out: outputs must not share memory, got two views of the same; "
            "clone() one of them");
}

TEST(Frexp, RefusedSecondOut_LeavesTheFirstAsItWas) {
  const Tensor self = Tensor::from<float>({1, 2, 3}, {3});
  const Tensor mantissa = Tensor::empty(Ints{0}, Dtype::F32);
  const Tensor exponent = Tensor::empty(Ints{0}, Dtype::I64);
  const Error error = error_of([&] {
    Op("aten::frexp.Tensor_out")(self, kw("mantissa", mantissa), kw("exponent", exponent));
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::frexp.Tensor_out: exponent must have dtype int32, got int64");
  EXPECT_EQ(sizes(mantissa), (Ints{0}));
}

}  // namespace
}  // namespace tenon::tests
