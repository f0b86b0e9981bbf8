// SPDX-License-Identifier: Apache-2.0
// aten::glu and aten::prelu.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Glu, AnswersAsPyTorch) { replay("glu", 14); }

}  // namespace
}  // namespace tenon::tests
