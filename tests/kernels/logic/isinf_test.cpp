// SPDX-License-Identifier: Apache-2.0
// aten::isinf.
#include <cmath>
#include <complex>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Isinf, ComplexNumber_IsWhereAPartIs) {
  EXPECT_EQ(elements(call("aten::isinf",
                          Tensor::from<std::complex<float>>({{0, INFINITY}, {1, NAN}}, {2}))),
            (Doubles{1, 0}));
}

}  // namespace
}  // namespace tenon::tests
