// SPDX-License-Identifier: Apache-2.0
// aten::eye.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Eye, AnswersAsPyTorch) { replay("eye", 6); }

}  // namespace
}  // namespace tenon::tests
