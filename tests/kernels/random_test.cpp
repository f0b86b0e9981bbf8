// SPDX-License-Identifier: Apache-2.0
// aten::random and what is like it.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Random, AnswersAsPyTorch) { replay("random", 31); }

}  // namespace
}  // namespace tenon::tests
