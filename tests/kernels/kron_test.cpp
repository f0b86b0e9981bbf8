// SPDX-License-Identifier: Apache-2.0
// aten::kron.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Kron, AnswersAsPyTorch) { replay("kron", 4); }

}  // namespace
}  // namespace tenon::tests
