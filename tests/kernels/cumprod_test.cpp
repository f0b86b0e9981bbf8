// SPDX-License-Identifier: Apache-2.0
// aten::cumprod.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Cumprod, AnswersAsPyTorch) { replay("cumprod", 20); }

}  // namespace
}  // namespace tenon::tests
