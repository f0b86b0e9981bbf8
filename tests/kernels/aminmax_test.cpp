// SPDX-License-Identifier: Apache-2.0
// aten::aminmax.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Aminmax, AnswersAsPyTorch) { replay("aminmax", 6); }

}  // namespace
}  // namespace tenon::tests
