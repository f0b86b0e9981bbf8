// SPDX-License-Identifier: Apache-2.0
// aten::roll.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Roll, AnswersAsPyTorch) { replay("roll", 20); }

}  // namespace
}  // namespace tenon::tests
