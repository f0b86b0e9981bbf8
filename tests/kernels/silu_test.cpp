// SPDX-License-Identifier: Apache-2.0
// aten::silu.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Silu, AnswersAsPyTorch) { replay("silu", 35); }

}  // namespace
}  // namespace tenon::tests
