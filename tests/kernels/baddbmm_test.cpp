// SPDX-License-Identifier: Apache-2.0
// aten::baddbmm and aten::addbmm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Baddbmm, AnswersAsPyTorch) { replay("baddbmm", 9); }

}  // namespace
}  // namespace tenon::tests
