// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_solve_ex.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgSolve, AnswersAsPyTorch) { replay("linalg_solve", 10); }

}  // namespace
}  // namespace tenon::tests
