// SPDX-License-Identifier: Apache-2.0
// aten::heaviside.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Heaviside, AnswersAsPyTorch) { replay("heaviside", 10); }

}  // namespace
}  // namespace tenon::tests
