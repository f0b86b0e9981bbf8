// SPDX-License-Identifier: Apache-2.0
// aten::diagonal and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Diagonal, AnswersAsPyTorch) { replay("diagonal", 80); }

}  // namespace
}  // namespace tenon::tests
