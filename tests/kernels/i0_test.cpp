// SPDX-License-Identifier: Apache-2.0
// aten::i0 and aten::special_i1.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(I0, AnswersAsPyTorch) { replay("i0", 40); }

}  // namespace
}  // namespace tenon::tests
