// SPDX-License-Identifier: Apache-2.0
// aten::mish.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mish, AnswersAsPyTorch) { replay("mish", 29); }

}  // namespace
}  // namespace tenon::tests
