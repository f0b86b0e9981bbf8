// SPDX-License-Identifier: Apache-2.0
// aten::_fused_sgd_.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(FusedSgd, AnswersAsPyTorch) { replay("fused_sgd", 7); }

}  // namespace
}  // namespace tenon::tests
