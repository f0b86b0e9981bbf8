// SPDX-License-Identifier: Apache-2.0
// aten::binary_cross_entropy, its gradient, and the same of logits.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(BinaryCrossEntropy, AnswersAsPyTorch) { replay("binary_cross_entropy", 24); }

}  // namespace
}  // namespace tenon::tests
