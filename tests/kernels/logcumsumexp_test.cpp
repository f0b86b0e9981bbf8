// SPDX-License-Identifier: Apache-2.0
// aten::logcumsumexp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Logcumsumexp, AnswersAsPyTorch) { replay("logcumsumexp", 9); }

}  // namespace
}  // namespace tenon::tests
