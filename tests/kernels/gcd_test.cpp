// SPDX-License-Identifier: Apache-2.0
// aten::gcd and aten::lcm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Gcd, AnswersAsPyTorch) { replay("gcd", 10); }

}  // namespace
}  // namespace tenon::tests
