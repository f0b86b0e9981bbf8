// SPDX-License-Identifier: Apache-2.0
// aten::special_bessel_j0 and its like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SpecialBesselJ0, AnswersAsPyTorch) { replay("special_bessel_j0", 30); }

}  // namespace
}  // namespace tenon::tests
