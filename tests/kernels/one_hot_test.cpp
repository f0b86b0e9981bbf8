// SPDX-License-Identifier: Apache-2.0
// aten::one_hot.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(OneHot, AnswersAsPyTorch) { replay("one_hot", 6); }

}  // namespace
}  // namespace tenon::tests
