// SPDX-License-Identifier: Apache-2.0
// aten::view.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(View, Result_SharesStorageAndVersion) {
  const Tensor base = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor view = call("aten::view", base, Ints{4});
  EXPECT_EQ(view.raw_data(), base.raw_data());
  const int64_t version = base.version();
  call("aten::fill_.Scalar", view, Scalar(9));
  EXPECT_EQ(elements(base), Doubles(4, 9));
  EXPECT_EQ(base.version(), version + 1);
}

}  // namespace
}  // namespace tenon::tests
