// SPDX-License-Identifier: Apache-2.0
// aten::dot and aten::vdot and its like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Dot, AnswersAsPyTorch) { replay("dot", 10); }

}  // namespace
}  // namespace tenon::tests
