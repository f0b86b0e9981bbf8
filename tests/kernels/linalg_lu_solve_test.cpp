// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lu_solve and aten::lu_solve.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgLuSolve, AnswersAsPyTorch) { replay("linalg_lu_solve", 24); }

}  // namespace
}  // namespace tenon::tests
