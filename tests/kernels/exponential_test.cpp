// SPDX-License-Identifier: Apache-2.0
// aten::exponential and aten::cauchy and its like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Exponential, AnswersAsPyTorch) { replay("exponential", 50); }

}  // namespace
}  // namespace tenon::tests
