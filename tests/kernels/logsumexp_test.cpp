// SPDX-License-Identifier: Apache-2.0
// aten::logsumexp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Logsumexp, AnswersAsPyTorch) { replay("logsumexp", 23); }

}  // namespace
}  // namespace tenon::tests
