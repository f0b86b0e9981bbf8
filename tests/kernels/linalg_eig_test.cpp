// SPDX-License-Identifier: Apache-2.0
// aten::linalg_eig, aten::linalg_eigvals and aten::_linalg_eigvals.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgEig, AnswersAsPyTorch) { replay("linalg_eig", 25); }

}  // namespace
}  // namespace tenon::tests
