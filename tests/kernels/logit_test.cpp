// SPDX-License-Identifier: Apache-2.0
// aten::logit.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Logit, AnswersAsPyTorch) { replay("logit", 10); }

}  // namespace
}  // namespace tenon::tests
