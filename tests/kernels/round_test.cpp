// SPDX-License-Identifier: Apache-2.0
// aten::round.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Round, AnswersAsPyTorch) { replay("round", 45); }

}  // namespace
}  // namespace tenon::tests
