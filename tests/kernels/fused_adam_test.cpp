// SPDX-License-Identifier: Apache-2.0
// aten::_fused_adam_ and aten::_fused_adamw_.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(FusedAdam, AnswersAsPyTorch) { replay("fused_adam", 10); }

}  // namespace
}  // namespace tenon::tests
