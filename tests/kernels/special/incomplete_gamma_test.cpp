// SPDX-License-Identifier: Apache-2.0
// aten::igamma, aten::igammac and their newer names.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// Computed by mpmath as a series with 60 digits: https://dlmf.nist.gov/8.11.E4
TEST(Igamma, NearEachOther_HaveAllDigits) {
  const Tensor a = Tensor::from<double>({22.0, 30.0, 250.0, 250.0, 1e4}, {5});
  const Tensor x = Tensor::from<double>({15.5, 33.0, 240.0, 260.0, 9.9e3}, {5});
  const double lower[] = {0.069570442374809029, 0.72269862906859283, 0.2676500698540158,
                          0.74061051739235273, 0.15865119219356466};
  const double upper[] = {0.93042955762519097, 0.27730137093140717, 0.7323499301459842,
                          0.25938948260764727, 0.84134880780643534};
  const Tensor p = call("aten::igamma", a, x), q = call("aten::igammac", a, x);
  for (int64_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(p.data<double>()[k] / lower[k], 1, 1e-13) << k;
    EXPECT_NEAR(q.data<double>()[k] / upper[k], 1, 1e-13) << k;
  }
}

}  // namespace
}  // namespace tenon::tests
