// SPDX-License-Identifier: Apache-2.0
// aten::mv and aten::addmv.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mv, AnswersAsPyTorch) { replay("mv", 10); }

}  // namespace
}  // namespace tenon::tests
