// SPDX-License-Identifier: Apache-2.0
// aten::linalg_cross and aten::cross.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cross, AnswersAsPyTorch) { replay("cross", 8); }

}  // namespace
}  // namespace tenon::tests
