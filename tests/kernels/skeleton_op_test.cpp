// SPDX-License-Identifier: Apache-2.0
// tenon::skeleton_op. Copy this file for a new operator.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SkeletonOp, Floats_AreSquaredAndOffset) {
  const Tensor result =
      call("tenon::skeleton_op", Tensor::from<float>({1, -2, 0.5}, {3}), Scalar(10));
  EXPECT_EQ(elements(result), (Doubles{11, 14, 10.25}));
}

TEST(SkeletonOp, Default_IsNoOffset) {
  EXPECT_EQ(elements(call("tenon::skeleton_op", Tensor::from<double>({3}, {1}))), (Doubles{9}));
}

TEST(SkeletonOp, Integers_GiveFloats) {
  EXPECT_EQ(call("tenon::skeleton_op", Tensor::from<int32_t>({3}, {1})).dtype(), Dtype::F32);
}

TEST(SkeletonOp, TransposedInput_KeepsItsOrderInMemory) {
  const Tensor base = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor result = call("tenon::skeleton_op", call("aten::t", base));
  EXPECT_EQ(strides(result), (Ints{1, 3}));
  EXPECT_EQ(elements(result), (Doubles{1, 16, 4, 25, 9, 36}));
}

TEST(SkeletonOp, EmptyAndZeroDim_KeepTheirSizes) {
  EXPECT_EQ(sizes(call("tenon::skeleton_op", Tensor::empty(Ints{0, 2}, Dtype::F32))), (Ints{0, 2}));
  EXPECT_EQ(elements(call("tenon::skeleton_op", Tensor::from<float>({4}, {}))), (Doubles{16}));
}

TEST(SkeletonOp, ComplexNumbers_AreNotSupported) {
  const Tensor self = Tensor::from<std::complex<float>>({{1, 1}}, {1});
  const Error error = error_of([&] { call("tenon::skeleton_op", self); });
  EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(std::string(error.what()),
            "tenon::skeleton_op: not supported for dtype complex64: self must be float16, "
            "bfloat16, float32, float64");
}

TEST(SkeletonOp, MetaTensor_GivesShapeAndDtypeOnly) {
  const Tensor result = call("tenon::skeleton_op", meta({2, 3}, Dtype::I64));
  EXPECT_EQ(result.dtype(), Dtype::F32);
  EXPECT_EQ(sizes(result), (Ints{2, 3}));
}

}  // namespace
}  // namespace tenon::tests
