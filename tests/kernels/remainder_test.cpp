// SPDX-License-Identifier: Apache-2.0
// aten::remainder.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Remainder, AnswersAsPyTorch) { replay("remainder", 45); }

}  // namespace
}  // namespace tenon::tests
