// SPDX-License-Identifier: Apache-2.0
// aten::ldexp.
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// The power of 2 may be out of range although the product is not.
TEST(Ldexp, WholeExponents_ScaleExactly) {
  const Tensor numbers = Tensor::from<float>({0x1p-20F, 0x1.8p100F, 1, 0}, {4});
  const Tensor exponents = Tensor::from<int32_t>({140, -240, 2000, 2000}, {4});
  const Tensor result = call("aten::ldexp.Tensor", numbers, exponents);
  EXPECT_EQ(elements(result),
            (std::vector<double>{0x1p120, 0x1.8p-140, std::numeric_limits<double>::infinity(), 0}));
  const Tensor small = call("aten::to.dtype", numbers, Dtype::F16);
  EXPECT_EQ(call("aten::ldexp.Tensor", small, exponents).dtype(), Dtype::F16);
}

}  // namespace
}  // namespace tenon::tests
