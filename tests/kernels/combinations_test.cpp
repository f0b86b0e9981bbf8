// SPDX-License-Identifier: Apache-2.0
// aten::combinations and aten::cartesian_prod.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Combinations, AnswersAsPyTorch) { replay("combinations", 8); }

}  // namespace
}  // namespace tenon::tests
