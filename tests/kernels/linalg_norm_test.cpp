// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_norm and aten::linalg_norm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgNorm, AnswersAsPyTorch) { replay("linalg_norm", 30); }

}  // namespace
}  // namespace tenon::tests
