// SPDX-License-Identifier: Apache-2.0
// aten::linalg_solve_triangular.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgSolveTriangular, AnswersAsPyTorch) { replay("linalg_solve_triangular", 10); }

}  // namespace
}  // namespace tenon::tests
