// SPDX-License-Identifier: Apache-2.0
// aten::cummax and aten::cummin.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cummax, AnswersAsPyTorch) { replay("cummax", 30); }

}  // namespace
}  // namespace tenon::tests
