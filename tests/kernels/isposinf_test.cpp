// SPDX-License-Identifier: Apache-2.0
// aten::isposinf and aten::isneginf and its like.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Isposinf, AnswersAsPyTorch) { replay("isposinf", 20); }

}  // namespace
}  // namespace tenon::tests
