// SPDX-License-Identifier: Apache-2.0
// aten::where.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Where, BytesOtherThanOne_CountAsTrue) {
  const uint8_t mask[] = {0, 2, 255};
  const int64_t sizes[] = {3};
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_wrap(const_cast<uint8_t*>(mask), TENON_DTYPE_BOOL, nullptr, 1, sizes, nullptr,
                          nullptr, nullptr, &handle));
  const Tensor result =
      call("aten::where.self", Tensor(handle), Tensor::from<float>({1, 2, 3}, {3}),
           Tensor::from<float>({-1, -2, -3}, {3}));
  EXPECT_EQ(elements(result), (Doubles{-1, 2, 3}));
}

TEST(Where, ConditionAlone_GivesIndicesOfEachDim) {
  const Tensor condition = Tensor::from<int64_t>({1, 0, 2, 3}, {2, 2});
  const auto results = Op("aten::where")(condition);
  const auto indices = results.at(0).tensors();
  ASSERT_EQ(indices.size(), 2);
  EXPECT_EQ(elements(indices[0]), (Doubles{0, 1, 1}));
  EXPECT_EQ(elements(indices[1]), (Doubles{0, 0, 1}));
  const Tensor single = Tensor::from<int64_t>({5}, {});
  const auto of_one = Op("aten::where")(single);
  EXPECT_EQ(of_one.at(0).tensors().size(), 1);
}

TEST(Where, Numbers_ArePromotedAsNumbers) {
  const Tensor condition = Tensor::from<bool>({true, false}, {2});
  const Tensor halves = call("aten::to.dtype", Tensor::from<float>({1, 2}, {2}), Dtype::F16);
  EXPECT_EQ(call("aten::where.ScalarOther", condition, halves, 2.5).dtype(), Dtype::F16);
  EXPECT_EQ(call("aten::where.Scalar", condition, 1, 2).dtype(), Dtype::I64);
  EXPECT_EQ(call("aten::where.Scalar", condition, 1, 2.0).dtype(), Dtype::F32);
}

}  // namespace
}  // namespace tenon::tests
