// SPDX-License-Identifier: Apache-2.0
// aten::diff and aten::trapezoid.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Diff, AnswersAsPyTorch) { replay("diff", 10); }

}  // namespace
}  // namespace tenon::tests
