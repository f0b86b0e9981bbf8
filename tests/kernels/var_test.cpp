// SPDX-License-Identifier: Apache-2.0
// aten::var and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Var, AnswersAsPyTorch) { replay("var", 280); }

}  // namespace
}  // namespace tenon::tests
