// SPDX-License-Identifier: Apache-2.0
// aten::_local_scalar_dense.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LocalScalarDense, MetaTensor_IsDataDependent) {
  EXPECT_EQ(error_of([] { Op("aten::_local_scalar_dense")(meta({})); }).code(),
            TENON_ERROR_DATA_DEPENDENT);
}

TEST(LocalScalarDense, TwoElements_AreRefused) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  EXPECT_EQ(error_of([&] { Op("aten::_local_scalar_dense")(self); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

TEST(LocalScalarDense, Number_HasTheKindOfTheDtype) {
  const Op item("aten::_local_scalar_dense");
  EXPECT_TRUE(item(Tensor::from<bool>({true}, {1}))[0].scalar().is_bool());
  EXPECT_TRUE(item(Tensor::from<int8_t>({3}, {1}))[0].scalar().is_int());
  EXPECT_TRUE(item(Tensor::from<float>({3}, {1}))[0].scalar().is_float());
  EXPECT_TRUE(item(Tensor::from<std::complex<float>>({{3, 1}}, {1}))[0].scalar().is_complex());
}

}  // namespace
}  // namespace tenon::tests
