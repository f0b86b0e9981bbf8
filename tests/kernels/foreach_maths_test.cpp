// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_abs.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ForeachMaths, AnswersAsPyTorch) { replay("foreach_maths", 90); }

}  // namespace
}  // namespace tenon::tests
