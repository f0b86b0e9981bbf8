// SPDX-License-Identifier: Apache-2.0
// aten::avg_pool2d, for other dims and shared evenly too, and their gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(AvgPool2d, AnswersAsPyTorch) { replay("avg_pool2d", 58); }

}  // namespace
}  // namespace tenon::tests
