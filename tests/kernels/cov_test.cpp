// SPDX-License-Identifier: Apache-2.0
// aten::cov and aten::corrcoef.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cov, AnswersAsPyTorch) { replay("cov", 7); }

}  // namespace
}  // namespace tenon::tests
