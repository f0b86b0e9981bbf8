// SPDX-License-Identifier: Apache-2.0
// aten::gelu.
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Gelu, OfInfinity_IsInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16}) {
    const Tensor self = call("aten::full", Ints{1}, Scalar(infinity), kw("dtype", dtype));
    EXPECT_EQ(elements(call("aten::gelu", self)), (Doubles{infinity}));
    EXPECT_EQ(elements(call("aten::gelu", self, kw("approximate", "tanh"))), (Doubles{infinity}));
  }
}

}  // namespace
}  // namespace tenon::tests
