// SPDX-License-Identifier: Apache-2.0
// aten::ceil.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Ceil, AnswersAsPyTorch) { replay("ceil", 30); }

}  // namespace
}  // namespace tenon::tests
