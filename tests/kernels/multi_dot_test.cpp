// SPDX-License-Identifier: Apache-2.0
// aten::linalg_multi_dot.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MultiDot, AnswersAsPyTorch) { replay("multi_dot", 8); }

}  // namespace
}  // namespace tenon::tests
