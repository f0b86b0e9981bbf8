// SPDX-License-Identifier: Apache-2.0
// aten::result_type, can_cast and promote_types.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Dtype dtype_of(const char* op, const Value& a, const Value& b) {
  const Value result = Op(op)(a, b)[0];
  return static_cast<Dtype>(result.get().as.i);
}

TEST(ResultType, NumbersAreWeakerThanTensors) {
  const Tensor ints = meta({2}, Dtype::I32);
  const Tensor halves = meta({2}, Dtype::F16);
  EXPECT_EQ(dtype_of("aten::result_type.Scalar", ints, 2), Dtype::I32);
  EXPECT_EQ(dtype_of("aten::result_type.Scalar", ints, 2.5), Dtype::F32);
  EXPECT_EQ(dtype_of("aten::result_type.Scalar", halves, 2.5), Dtype::F16);
  EXPECT_EQ(dtype_of("aten::result_type.Scalar_Tensor", 2.5, halves), Dtype::F16);
  EXPECT_EQ(dtype_of("aten::result_type.Scalar_Scalar", 1, 2.5), Dtype::F32);
}

TEST(ResultType, ZeroDims_AreWeakerThanDims) {
  const Tensor zero_dims = meta({}, Dtype::F64);
  EXPECT_EQ(dtype_of("aten::result_type.Tensor", meta({2}), zero_dims), Dtype::F32);
  EXPECT_EQ(dtype_of("aten::result_type.Tensor", meta({2}, Dtype::I8), zero_dims), Dtype::F64);
}

TEST(ResultType, OfDtypes_IsTheirCommonOne) {
  const Value f16 = Value(Dtype::F16), bf16 = Value(Dtype::BF16);
  EXPECT_EQ(dtype_of("aten::promote_types", f16, bf16), Dtype::F32);
  EXPECT_EQ(dtype_of("aten::promote_types", Value(Dtype::U8), Value(Dtype::I8)), Dtype::I16);
}

TEST(ResultType, CanCast_LosesNoKind) {
  const auto can = [](Dtype from, Dtype to) {
    return Op("aten::can_cast")(Value(from), Value(to))[0].get().as.i != 0;
  };
  EXPECT_TRUE(can(Dtype::F64, Dtype::F16));
  EXPECT_FALSE(can(Dtype::F32, Dtype::I64));
  EXPECT_FALSE(can(Dtype::C64, Dtype::F32));
  EXPECT_FALSE(can(Dtype::I64, Dtype::Bool));
}

}  // namespace
}  // namespace tenon::tests
