// SPDX-License-Identifier: Apache-2.0
// aten::ctc_loss, aten::_ctc_loss and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(CtcLoss, AnswersAsPyTorch) { replay("ctc_loss", 81); }

}  // namespace
}  // namespace tenon::tests
