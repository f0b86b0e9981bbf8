// SPDX-License-Identifier: Apache-2.0
// aten::_linalg_svd and aten::linalg_svd.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(LinalgSvd, AnswersAsPyTorch) { replay("linalg_svd", 5); }

}  // namespace
}  // namespace tenon::tests
