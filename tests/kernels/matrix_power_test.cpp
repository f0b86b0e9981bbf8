// SPDX-License-Identifier: Apache-2.0
// aten::linalg_matrix_power.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MatrixPower, AnswersAsPyTorch) { replay("matrix_power", 10); }

}  // namespace
}  // namespace tenon::tests
