// SPDX-License-Identifier: Apache-2.0
// aten::linalg_ldl_factor_ex, aten::linalg_ldl_factor and aten::linalg_ldl_solve.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgLdl, AnswersAsPyTorch) { replay("linalg_ldl", 33); }

}  // namespace
}  // namespace tenon::tests
