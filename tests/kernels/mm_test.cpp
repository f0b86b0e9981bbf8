// SPDX-License-Identifier: Apache-2.0
// aten::mm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mm, AnswersAsPyTorch) { replay("mm", 50); }

TEST(Mm, Product_ByHand) {
  const Tensor a = Tensor::from<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor b = Tensor::from<double>({1, 0, 0, 1, 2, 2}, {3, 2});
  EXPECT_EQ(elements(call("aten::mm", a, b)), (Doubles{7, 8, 16, 17}));
}

TEST(Mm, BFloat16_AddsInFloat32) {
  // 1 + 2^-8 * 256 terms: added in bfloat16 one by one, the small terms would vanish.
  const Tensor ones = call("aten::full", Ints{1, 257}, Scalar(1.0), kw("dtype", Dtype::BF16));
  const Tensor terms =
      call("aten::full", Ints{257, 1}, Scalar(0.00390625), kw("dtype", Dtype::BF16));
  call("aten::fill_.Scalar", call("aten::select.int", terms, 0, 0), Scalar(1.0));
  EXPECT_EQ(elements(call("aten::mm", ones, terms)), (Doubles{2}));
}

TEST(Mm, ColumnsAndRowsThatDiffer_AreNamed) {
  const Tensor a = Tensor::empty(Ints{2, 3}, Dtype::F32);
  const Error error = error_of([&] { call("aten::mm", a, a); });
  EXPECT_EQ(std::string(error.what()),
            "aten::mm: mat2 must have as many rows as self has columns, got sizes [2, 3] and "
            "[2, 3]");
}

}  // namespace
}  // namespace tenon::tests
