// SPDX-License-Identifier: Apache-2.0
// aten::linalg_lstsq.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgLstsq, AnswersAsPyTorch) { replay("linalg_lstsq", 7); }

}  // namespace
}  // namespace tenon::tests
