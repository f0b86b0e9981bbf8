// SPDX-License-Identifier: Apache-2.0
// aten::trunc.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Trunc, AnswersAsPyTorch) { replay("trunc", 30); }

}  // namespace
}  // namespace tenon::tests
