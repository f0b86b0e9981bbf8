// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_copy.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ForeachCopy, AnswersAsPyTorch) { replay("foreach_copy", 10); }

}  // namespace
}  // namespace tenon::tests
