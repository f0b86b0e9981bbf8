// SPDX-License-Identifier: Apache-2.0
// aten::where.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Where, AnswersAsPyTorch) { replay("where", 80); }

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

}  // namespace
}  // namespace tenon::tests
