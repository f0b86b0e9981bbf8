// SPDX-License-Identifier: Apache-2.0
// aten::max_pool2d, with indices, and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(MaxPool2d, AnswersAsPyTorch) { replay("max_pool2d", 59); }

}  // namespace
}  // namespace tenon::tests
