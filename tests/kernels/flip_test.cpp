// SPDX-License-Identifier: Apache-2.0
// aten::flip.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Flip, AnswersAsPyTorch) { replay("flip", 40); }

}  // namespace
}  // namespace tenon::tests
