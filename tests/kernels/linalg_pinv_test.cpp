// SPDX-License-Identifier: Apache-2.0
// aten::linalg_pinv and aten::linalg_matrix_rank.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgPinv, AnswersAsPyTorch) { replay("linalg_pinv", 10); }

}  // namespace
}  // namespace tenon::tests
