// SPDX-License-Identifier: Apache-2.0
// aten::convolution, its gradients, and what calls it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Convolution, AnswersAsPyTorch) { replay("convolution", 36); }

}  // namespace
}  // namespace tenon::tests
