// SPDX-License-Identifier: Apache-2.0
// aten::margin_ranking_loss and other losses of pairs.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MarginRankingLoss, AnswersAsPyTorch) { replay("margin_ranking_loss", 21); }

}  // namespace
}  // namespace tenon::tests
