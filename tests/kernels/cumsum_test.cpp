// SPDX-License-Identifier: Apache-2.0
// aten::cumsum.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cumsum, AnswersAsPyTorch) { replay("cumsum", 40); }

}  // namespace
}  // namespace tenon::tests
