// SPDX-License-Identifier: Apache-2.0
// aten::block_diag.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BlockDiag, AnswersAsPyTorch) { replay("block_diag", 3); }

}  // namespace
}  // namespace tenon::tests
