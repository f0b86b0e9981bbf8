// SPDX-License-Identifier: Apache-2.0
// aten::special_xlog1py.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Xlog1py, AnswersAsPyTorch) { replay("xlog1py", 6); }

}  // namespace
}  // namespace tenon::tests
