// SPDX-License-Identifier: Apache-2.0
// aten::complex and aten::polar.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Polar, AnswersAsPyTorch) { replay("polar", 6); }

}  // namespace
}  // namespace tenon::tests
