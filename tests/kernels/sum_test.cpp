// SPDX-License-Identifier: Apache-2.0
// aten::sum.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Sum, AnswersAsPyTorch) { replay("sum", 90); }

TEST(Sum, Float32OfManyTerms_RoundsOnce) {
  const Tensor self = call("aten::full", Ints{1 << 20}, Scalar(0.1), kw("dtype", Dtype::F32));
  const double exact = static_cast<double>(0.1F) * (1 << 20);
  EXPECT_EQ(call("aten::sum", self).data<float>()[0], static_cast<float>(exact));
}

TEST(Sum, MetaTensor_GivesInt64ForBool) {
  const Tensor result = call("aten::sum.dim_IntList", meta({2, 3}, Dtype::Bool), Ints{1}, true);
  EXPECT_EQ(result.dtype(), Dtype::I64);
  EXPECT_EQ(sizes(result), (Ints{2, 1}));
}

TEST(Sum, NoElements_AreZero) {
  EXPECT_EQ(elements(call("aten::sum.dim_IntList", Tensor::empty(Ints{2, 0}, Dtype::F32), Ints{1})),
            (Doubles{0, 0}));
}

}  // namespace
}  // namespace tenon::tests
