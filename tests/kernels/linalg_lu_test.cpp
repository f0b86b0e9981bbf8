// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lu_factor_ex and aten::linalg_lu_factor.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgLu, AnswersAsPyTorch) { replay("linalg_lu", 6); }

}  // namespace
}  // namespace tenon::tests
