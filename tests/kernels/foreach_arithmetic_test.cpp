// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_add.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ForeachArithmetic, AnswersAsPyTorch) { replay("foreach_arithmetic", 120); }

}  // namespace
}  // namespace tenon::tests
