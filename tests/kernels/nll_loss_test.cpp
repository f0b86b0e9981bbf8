// SPDX-License-Identifier: Apache-2.0
// aten::nll_loss_nd and aten::cross_entropy_loss.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(NllLoss, AnswersAsPyTorch) { replay("nll_loss", 42); }

}  // namespace
}  // namespace tenon::tests
