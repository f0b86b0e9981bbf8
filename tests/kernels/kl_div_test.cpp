// SPDX-License-Identifier: Apache-2.0
// aten::kl_div and aten::poisson_nll_loss.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(KlDiv, AnswersAsPyTorch) { replay("kl_div", 12); }

}  // namespace
}  // namespace tenon::tests
