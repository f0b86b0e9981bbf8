// SPDX-License-Identifier: Apache-2.0
// aten::expand.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Expand, ExpandedTensor_IsNotWritten) {
  const Tensor base = Tensor::from<float>({1, 2}, {2});
  const Tensor wide = call("aten::expand", base, Ints{3, 2});
  EXPECT_EQ(error_of([&] { call("aten::add_.Tensor", wide, wide); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(elements(base), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
