// SPDX-License-Identifier: Apache-2.0
// aten::linalg_cholesky_ex.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgCholesky, AnswersAsPyTorch) { replay("linalg_cholesky", 10); }

}  // namespace
}  // namespace tenon::tests
