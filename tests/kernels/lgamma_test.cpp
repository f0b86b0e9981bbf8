// SPDX-License-Identifier: Apache-2.0
// aten::lgamma and aten::digamma.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Lgamma, AnswersAsPyTorch) { replay("lgamma", 40); }

}  // namespace
}  // namespace tenon::tests
