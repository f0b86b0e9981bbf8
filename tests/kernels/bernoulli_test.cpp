// SPDX-License-Identifier: Apache-2.0
// aten::bernoulli.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Bernoulli, AnswersAsPyTorch) { replay("bernoulli", 30); }

}  // namespace
}  // namespace tenon::tests
