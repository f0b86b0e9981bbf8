// SPDX-License-Identifier: Apache-2.0
// aten::embedding and its gradient.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Embedding, AnswersAsPyTorch) { replay("embedding", 12); }

}  // namespace
}  // namespace tenon::tests
