// SPDX-License-Identifier: Apache-2.0
// aten::special_zeta.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(SpecialZeta, AnswersAsPyTorch) { replay("special_zeta", 12); }

}  // namespace
}  // namespace tenon::tests
