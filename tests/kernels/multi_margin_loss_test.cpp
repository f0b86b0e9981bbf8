// SPDX-License-Identifier: Apache-2.0
// aten::multi_margin_loss and aten::multilabel_margin_loss.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MultiMarginLoss, AnswersAsPyTorch) { replay("multi_margin_loss", 40); }

}  // namespace
}  // namespace tenon::tests
