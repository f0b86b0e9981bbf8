// SPDX-License-Identifier: Apache-2.0
// aten::copysign.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Copysign, AnswersAsPyTorch) { replay("copysign", 7); }

}  // namespace
}  // namespace tenon::tests
