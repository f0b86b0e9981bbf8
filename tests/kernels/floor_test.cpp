// SPDX-License-Identifier: Apache-2.0
// aten::floor.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Floor, AnswersAsPyTorch) { replay("floor", 30); }

}  // namespace
}  // namespace tenon::tests
