// SPDX-License-Identifier: Apache-2.0
// aten::msort.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Msort, AnswersAsPyTorch) { replay("msort", 3); }

}  // namespace
}  // namespace tenon::tests
