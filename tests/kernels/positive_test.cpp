// SPDX-License-Identifier: Apache-2.0
// aten::positive.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Positive, AnswersAsPyTorch) { replay("positive", 2); }

}  // namespace
}  // namespace tenon::tests
