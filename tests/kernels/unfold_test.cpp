// SPDX-License-Identifier: Apache-2.0
// aten::unfold.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Unfold, AnswersAsPyTorch) { replay("unfold", 28); }

}  // namespace
}  // namespace tenon::tests
