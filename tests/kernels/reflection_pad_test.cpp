// SPDX-License-Identifier: Apache-2.0
// aten::reflection_pad2d, aten::replication_pad2d and their gradients.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(ReflectionPad, AnswersAsPyTorch) { replay("reflection_pad", 49); }

}  // namespace
}  // namespace tenon::tests
