// SPDX-License-Identifier: Apache-2.0
// aten::erfinv.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Erfinv, AnswersAsPyTorch) { replay("erfinv", 10); }

}  // namespace
}  // namespace tenon::tests
