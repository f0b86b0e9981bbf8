// SPDX-License-Identifier: Apache-2.0
// aten::linalg_inv_ex.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgInv, AnswersAsPyTorch) { replay("linalg_inv", 10); }

}  // namespace
}  // namespace tenon::tests
