// SPDX-License-Identifier: Apache-2.0
// aten::renorm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Renorm, AnswersAsPyTorch) { replay("renorm", 20); }

}  // namespace
}  // namespace tenon::tests
