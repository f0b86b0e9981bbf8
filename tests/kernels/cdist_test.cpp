// SPDX-License-Identifier: Apache-2.0
// aten::cdist, aten::pdist and their gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cdist, AnswersAsPyTorch) { replay("cdist", 70); }

}  // namespace
}  // namespace tenon::tests
