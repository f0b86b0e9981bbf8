// SPDX-License-Identifier: Apache-2.0
// aten::ldexp.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Ldexp, AnswersAsPyTorch) { replay("ldexp", 3); }

}  // namespace
}  // namespace tenon::tests
