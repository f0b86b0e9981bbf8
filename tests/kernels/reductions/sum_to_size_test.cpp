// SPDX-License-Identifier: Apache-2.0
// aten::sum_to_size.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SumToSize, Broadcasting_IsTurnedBack) {
  const Tensor self = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(elements(call("aten::sum_to_size", self, Ints{2, 1})), (Doubles{6, 15}));
  EXPECT_EQ(elements(call("aten::sum_to_size", self, Ints{3})), (Doubles{5, 7, 9}));
}

TEST(SumToSize, SizeThatDoesNotBroadcast_IsRefused) {
  const Error error = error_of([] {
    call("aten::sum_to_size", Tensor::empty(Ints{2, 3}, Dtype::F32), Ints{2});
  });
  EXPECT_EQ(std::string(error.what()), "aten::sum_to_size: size must broadcast to [2, 3], got [2]");
}

}  // namespace
}  // namespace tenon::tests
