// SPDX-License-Identifier: Apache-2.0
// aten::tensordot.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Tensordot, AnswersAsPyTorch) { replay("tensordot", 7); }

}  // namespace
}  // namespace tenon::tests
