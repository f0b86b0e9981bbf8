// SPDX-License-Identifier: Apache-2.0
// aten::rot90 and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Rot90, AnswersAsPyTorch) { replay("rot90", 19); }

}  // namespace
}  // namespace tenon::tests
