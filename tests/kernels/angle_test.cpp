// SPDX-License-Identifier: Apache-2.0
// aten::angle.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Angle, AnswersAsPyTorch) { replay("angle", 10); }

}  // namespace
}  // namespace tenon::tests
